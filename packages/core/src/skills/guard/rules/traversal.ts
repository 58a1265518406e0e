import { rulesOf } from '../rule.ts'

/** Leaving the folder that it was given. */
export const traversal = rulesOf('traversal', [
  ['deep-parent', 'medium', /(?:\.\.[\\/]){4,}/, 'climbs many folders up'],
  [
    'parent-to-system',
    'critical',
    /(?:\.\.[\\/]){2,}(?:etc|root|home|usr|var|proc|\.ssh|\.aws|windows)\b/i,
    'climbs from its folder to the system',
  ],
  [
    'encoded-parent',
    'high',
    /(?:%2e%2e(?:%2f|\/|%5c)|\.\.%2f|\.\.%5c|%252e%252e){1,}/i,
    'hides that it climbs folders',
  ],
  [
    'shadow-file',
    'critical',
    /(?<![\w.-])\/etc\/(?:shadow|gshadow|master\.passwd)\b/i,
    'reads the hashes of passwords',
  ],
  [
    'passwd-read',
    'medium',
    /\b(?:cat|less|head|tail|grep|awk|cut|open|read_file|readFile|curl)\b[^\n]{0,40}?(?:file:\/\/)?\/etc\/passwd\b/i,
    "reads the system's accounts",
  ],
  [
    'process-environment',
    'critical',
    /\/proc\/(?:self|\d{1,7}|\$\$|\*|\$\{?\w{1,12}\}?)\/(?:environ|mem|maps|fd)\b/i,
    'reads the memory or variables of a program',
  ],
  [
    'docker-socket',
    'high',
    /\/var\/run\/docker\.sock\b|\/run\/docker\.sock\b/i,
    'controls Docker, and through it the machine',
  ],
  [
    'file-address',
    'high',
    /\bfile:\/\/\/(?:etc|root|proc|home\/[^\s/]{1,40}\/\.)/i,
    'reads the system through a file address',
  ],
])
