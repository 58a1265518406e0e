import type { InjectionPattern } from './pattern.ts'

/** Places that a project's notes may well name, but no entry of the memory, where it would be a standing order. */
export const memoryPatterns: readonly InjectionPattern[] = [
  {
    id: 'exfil_curl',
    hints: [['curl']],
    pattern: /\bcurl\s[^\n]{0,500}?\$\{?\w{0,60}(?:key|token|secret|password|credential|api)/,
  },
  {
    id: 'exfil_wget',
    hints: [['wget']],
    pattern: /\bwget\s[^\n]{0,500}?\$\{?\w{0,60}(?:key|token|secret|password|credential|api)/,
  },
  { id: 'ssh_backdoor', hints: [['authorized_keys']], pattern: /\bauthorized_keys\b/ },
  { id: 'ssh_access', hints: [['/.ssh']], pattern: /(?:\$\{?home\}?|~|\/root|\/home\/[\w.-]{1,60})\/\.ssh\b/ },
  { id: 'hermes_env', hints: [['/.env']], pattern: /(?:\$\{?hermes_home\}?|(?:\$\{?home\}?|~)\/\.hermes)\/\.env\b/ },
].map((pattern) => ({ ...pattern, kinds: ['memory'] }))
