import { rulesOf } from '../rule.ts'

/** Bringing in programs from where nobody looks. */
export const supplyChain = rulesOf('supply_chain', [
  [
    'pipe-to-shell',
    'high',
    /\b(?:curl|wget|fetch)\s[^\n|]{0,250}\|\s{0,5}(?:sudo\s{1,3}(?:-\w{1,3}\s{1,3}){0,2})?(?:\/(?:usr\/)?bin\/)?(?:(?:ba|z|da|k|fi)?sh|python\d?|perl|ruby|node|php)\b/i,
    'runs what it downloads',
  ],
  [
    'insecure-pipe',
    'critical',
    /\b(?:curl|wget)\s[^\n|]{0,200}?(?:\bhttp:\/\/(?!localhost|127\.)|(?<=\s)-k\s|--insecure\b|--no-check-certificate\b|(?:pastebin\.com|paste\.ee|gist\.githubusercontent\.com|transfer\.sh|raw\.gitea|ix\.io|0x0\.st)\/)[^\n|]{0,200}\|\s{0,5}(?:sudo\s{1,3})?(?:(?:ba|z|da|k)?sh|python\d?|perl|node)\b/i,
    'runs what it downloads from where anybody can put it',
  ],
  [
    'pip-index',
    'high',
    /\b(?:pip\d?|uv\s{1,3}pip|uv|poetry)\s[^\n]{0,150}?(?:--(?:extra-)?index-url|-i)[\s=]{1,3}["']?https?:\/\/(?!(?:pypi\.org|files\.pythonhosted\.org|test\.pypi\.org|download\.pytorch\.org|pypi\.nvidia\.com))/i,
    'installs Python packages from another index',
  ],
  ['pip-trusted-host', 'high', /--trusted-host\b/i, 'installs Python packages without checking who sends them'],
  [
    'pip-from-address',
    'medium',
    /\bpip\d?\s{1,3}install\s[^\n]{0,100}?(?:git\+(?:https?|ssh):\/\/|https?:\/\/\S{1,200}?\.(?:whl|tar\.gz|zip))/i,
    'installs a Python package from an address',
  ],
  [
    'npm-registry',
    'high',
    /\b(?:npm|yarn|pnpm|npx|bun)\s[^\n]{0,120}?(?:--registry[\s=]{1,3}|config\s{1,3}set\s{1,3}registry\s{1,3})["']?https?:\/\/(?!registry\.(?:npmjs\.org|yarnpkg\.com))/i,
    'installs packages from another registry',
  ],
  [
    'npm-from-address',
    'high',
    /\b(?:npm|yarn|pnpm|bun)\s{1,3}(?:install|i|add)\s[^\n]{0,80}?(?:git\+https?:\/\/|https?:\/\/\S{1,200}?\.tgz)/i,
    'installs a package from an address',
  ],
  [
    'clone-and-run',
    'medium',
    /\bgit\s{1,3}clone\s[^\n]{0,200}?(?:&&|;)[^\n]{0,80}?(?:&&|;)?\s{0,3}(?:sudo\s{1,3})?(?:make\s{1,3}install|(?:ba|z)?sh\s{1,3}[\w./-]{1,60}\.sh|\.\/(?:install|setup|configure|build|run)[\w.-]{0,20}|python\d?\s{1,3}setup\.py|pip\d?\s{1,3}install\s{1,3}-e)/i,
    'clones a repository and runs it',
  ],
  [
    'package-key',
    'medium',
    /\b(?:curl|wget)\s[^\n|]{0,200}\|\s{0,5}(?:sudo\s{1,3})?apt-key\s{1,3}add\b|\btrusted=yes\b[^\n]{0,80}?https?:/i,
    'makes the system trust packages of others',
  ],
  [
    'install-script',
    'high',
    /["'](?:pre|post)install["']\s{0,3}:\s{0,3}["'][^"'\n]{0,150}?(?:curl|wget|node\s{1,3}-e|bash\s{1,3}-c|eval|https?:)/i,
    'runs a download when a package is installed',
  ],
  [
    'setup-command',
    'high',
    /\bcmdclass\s{0,3}=[^\n]{0,80}?(?:install|develop|egg_info)\b[^\n]{0,40}?:/i,
    'runs code when a Python package is installed',
  ],
  [
    'signature-off',
    'high',
    /\bgpgcheck\s{0,2}=\s{0,2}0\b|--allow-unauthenticated\b|--no-gpg-checks?\b|--nogpgcheck\b|\bstrict-ssl\s{1,3}false\b|\bhttp\.sslVerify\s{1,3}false\b|\bGIT_SSL_NO_VERIFY\s{0,2}=\s{0,2}(?:1|true)|\bNODE_TLS_REJECT_UNAUTHORIZED\s{0,2}=\s{0,2}["']?0/i,
    'switches off the check of who sends a program',
  ],
  [
    'remote-instructions',
    'high',
    /\b(?:fetch|download|load|read|retrieve|get)\s{1,5}(?:the\s{1,5}|your\s{1,5}|further\s{1,5}|additional\s{1,5}|latest\s{1,5}|more\s{1,5}){0,3}(?:instructions?|prompts?|rules|orders)\s{1,5}(?:at|from)\s{1,5}["'`<]{0,2}https?:\/\//i,
    'takes its instructions from the network, where they can change',
  ],
])
