import { rulesOf } from '../rule.ts'

/** Secrets in the open. */
export const credentialExposure = rulesOf('credential_exposure', [
  [
    'private-key',
    'critical',
    /-----BEGIN (?:RSA |EC |DSA |OPENSSH |PGP |ENCRYPTED )?PRIVATE KEY(?: BLOCK)?-----/,
    'holds a private key',
  ],
  [
    'model-key',
    'critical',
    /\bsk-(?:ant-|or-|proj-|svcacct-)?(?=[A-Za-z0-9_-]{0,60}?\d)[A-Za-z0-9_-]{32,}/,
    'holds the key of a model provider',
  ],
  [
    'github-token',
    'critical',
    /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})/,
    'holds a token of GitHub',
  ],
  ['aws-key', 'critical', /\b(?:AKIA|ASIA)(?![A-Z0-9]{0,12}EXAMPLE)[A-Z0-9]{16}\b/, 'holds a key of AWS'],
  ['google-key', 'critical', /\bAIza[A-Za-z0-9_-]{35}\b/, 'holds a key of Google'],
  [
    'chat-token',
    'critical',
    /\bxox[abprs]-\d{6,}-[A-Za-z0-9-]{10,}|\b\d{8,10}:AA[A-Za-z0-9_-]{33}\b/,
    'holds a token of a chat service',
  ],
  ['payment-key', 'critical', /\b(?:sk|rk)_live_[A-Za-z0-9]{20,}/, 'holds a key of a payment service'],
  [
    'json-web-token',
    'high',
    /\beyJ[A-Za-z0-9_-]{16,}\.eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{20,}/,
    'holds a signed token',
  ],
  [
    'ssh-key-read',
    'critical',
    /\b(?:cat|less|head|tail|cp|base64|open|read_file|readFile(?:Sync)?|xxd|strings)\b[^\n]{0,60}?\.ssh\/(?:id_|identity|\*)/i,
    'reads private keys of SSH',
  ],
  [
    'cloud-credentials-read',
    'high',
    /\b(?:cat|less|head|tail|cp|grep|base64|open|read_file|readFile(?:Sync)?|jq)\b[^\n]{0,80}?(?:\.aws\/credentials|\.config\/gcloud|\.azure\/|\.kube\/config|\.docker\/config\.json|\.config\/gh\/hosts\.yml|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials)/i,
    'reads credentials of other programs',
  ],
  [
    'agent-credentials',
    'critical',
    /(?:~|\$HOME|\$\{HOME\}|\$HERMES_HOME|\$\{HERMES_HOME\})\/(?:\.hermes\/)?(?:\.env|auth\.json|mcp-tokens)\b|\.(?:claude|codex)\/(?:\.credentials|auth)\.json\b/i,
    "reads the agent's own credentials",
  ],
  [
    'dotenv-read',
    'high',
    /\b(?:cat|less|head|tail|base64|xxd|strings|grep\s{1,3}(?:-\w{1,8}\s{1,3}){0,3}[^\s-]\S{0,60})\s{1,3}(?:-\w{1,8}\s{1,3}){0,3}["']?(?:[\w./~$-]{0,60}\/)?\.env(?:\.(?:local|production|prod))?["']?(?=\s|$|[|;&)`])/i,
    'reads a file of secrets',
  ],
  [
    'token-printed',
    'high',
    /\bgh\s{1,3}auth\s{1,3}token\b|\bgcloud\s{1,3}auth\s{1,3}print-(?:access|identity)-token\b|\baws\s{1,3}configure\s{1,3}export-credentials\b|\baz\s{1,3}account\s{1,3}get-access-token\b/i,
    'prints the token of another program',
  ],
  [
    'secret-echoed',
    'high',
    /\b(?:echo|printf|print|console\.log|puts)\b[\s(]{1,3}["'`]?[^\n]{0,40}?(?:\$\{?|process\.env\.|os\.environ\[?["']?|os\.getenv\(["'])\w{0,40}(?:API_KEY|_TOKEN|SECRET|PASSWORD|PRIVATE_KEY)\w{0,20}["'\])}]{0,3}\s{0,3}(?:["'`)]|$)/i,
    'shows a secret',
  ],
  [
    'wallet',
    'critical',
    /\b(?:wallet\.dat|keystore\/UTC--)|(?:\.ethereum|\.bitcoin|\.config\/solana|Exodus|Electrum)\/(?:keystore|wallets?|id\.json|exodus\.wallet)/i,
    'reads a wallet of coins',
  ],
  [
    'plain-credential-store',
    'medium',
    /\bcredential\.helper\s{1,3}["']?store\b/i,
    'has Git keep passwords in the open',
  ],
])
