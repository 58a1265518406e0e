import { rulesOf } from '../rule.ts'

/** Sending away what is not the sender's. */
export const exfiltration = rulesOf('exfiltration', [
  [
    'secret-in-url',
    'high',
    /\b(?:curl|wget|http|https|iwr|Invoke-WebRequest)\s[^\n]{0,300}?https?:\/\/[^\s"']{1,200}?[?&/=]\$\{?\w{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)/i,
    'puts a secret of the environment into an address',
  ],
  [
    'secret-as-data',
    'high',
    /\b(?:curl|wget)\s[^\n]{0,300}?(?:-d|-F|--data(?:-\w{1,12})?|--form|--post-data|--body-data)[\s=]{1,3}["']?[^\n]{0,150}?\$\{?\w{0,60}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)/i,
    'sends a secret of the environment as data',
  ],
  [
    'model-key-elsewhere',
    'critical',
    /\b(?:curl|wget|fetch|requests\.\w{1,10}|httpx\.\w{1,10})\b(?![^\n]{0,400}?(?:api\.openai\.com|api\.anthropic\.com|openrouter\.ai|generativelanguage\.googleapis\.com))[^\n]{0,400}?\b(?:OPENAI|ANTHROPIC|OPENROUTER|GEMINI|NOUS)_API_KEY\b/,
    'sends the key of a model provider to another host',
  ],
  [
    'environment-piped-out',
    'critical',
    /(?:^|[\s;&|(`])(?:env|printenv|set|export\s-p|declare\s-x)\s{0,5}(?:\|[^\n|]{1,80}){0,3}\|\s{0,5}(?:curl|wget|nc|ncat|netcat|socat|http)\b/i,
    'pipes all variables into a network program',
  ],
  [
    'environment-posted',
    'critical',
    /(?:json|data|params|body)\s{0,3}[=:]\s{0,3}(?:json\.dumps\()?(?:dict\()?(?:\{\s{0,3}\*\*)?os\.environ\b(?!\s{0,3}(?:\.get|\[))|JSON\.stringify\(\s{0,3}process\.env\s{0,3}[,)]|\bENV\.to_h\b[^\n]{0,80}?(?:post|put)\b/i,
    'sends all variables of the environment',
  ],
  [
    'secret-file-piped-out',
    'critical',
    /(?:\.ssh\/|id_(?:rsa|ed25519|ecdsa)|\.aws\/credentials|\.netrc|\.pgpass|\.env\b|\.kube\/config|auth\.json|\.gnupg|\/etc\/shadow)[^\n]{0,150}?\|\s{0,5}(?:[^\n|]{1,60}\|\s{0,5}){0,2}(?:curl|wget|nc|ncat|netcat|socat|ssh|mail|sendmail)\b/i,
    'pipes a file of secrets into a network program',
  ],
  [
    'secret-file-uploaded',
    'critical',
    /\b(?:curl|wget)\s[^\n]{0,300}?(?:@|-T\s{0,3}|--upload-file[\s=]{1,3}|--post-file[\s=]{1,3}|\$\(\s{0,3}(?:cat|<)\s{0,3})["']?[^\s"']{0,100}?(?:\.ssh\/|id_(?:rsa|ed25519|ecdsa)|\.aws\/credentials|\.netrc|\.pgpass|\.env\b|\.kube\/config|auth\.json|\.gnupg|\/etc\/(?:passwd|shadow))/i,
    'uploads a file of secrets',
  ],
  [
    'secret-folder-copied-out',
    'critical',
    /\b(?:scp|rsync|sftp)\s[^\n]{0,200}?(?:\.ssh|\.aws|\.gnupg|\.kube|\.hermes|\.docker|\.config\/gh)\b[^\n]{0,200}?[\w.-]{1,60}@?[\w.-]{1,80}:/i,
    'copies a folder of secrets to another machine',
  ],
  [
    'name-lookup-leak',
    'critical',
    /\b(?:nslookup|dig|host|ping|drill)\s[^\n]{0,80}?(?:\$\([^\n)]{1,120}\)|`[^\n`]{1,120}`|\$\{?\w{0,60}(?:KEY|TOKEN|SECRET|PASSWORD)\w{0,20}\}?)\.[\w-]{1,60}\.\w{2,}/i,
    'hides data in the name of a host that is looked up',
  ],
  [
    'drop-site',
    'high',
    /\b(?:webhook\.site|requestbin\.(?:com|net)|(?:[\w-]{1,60}\.)?m\.pipedream\.net|hookbin\.com|burpcollaborator\.net|oastify\.com|oast\.(?:fun|live|me|online|pro|site)|interact\.sh|beeceptor\.com|requestcatcher\.com|canarytokens\.\w{2,5})\b/i,
    'names a site that collects what is sent to it',
  ],
  [
    'paste-upload',
    'high',
    /\b(?:curl|wget|nc|ncat)\s[^\n]{0,200}?\b(?:transfer\.sh|0x0\.st|termbin\.com|file\.io|ix\.io|paste\.ee|paste\.rs|pastebin\.com\/api|bashupload\.com|sprunge\.us|anonfiles\.com|catbox\.moe)\b/i,
    'uploads to a public paste or file site',
  ],
  [
    'chat-webhook',
    'high',
    /\b(?:discord(?:app)?\.com\/api\/webhooks\/\d{6,25}\/|hooks\.slack\.com\/services\/T[A-Z0-9]{6,14}\/|api\.telegram\.org\/bot\d{6,14}:)/i,
    'sends to a chat of its author: the address and its token are in the skill',
  ],
  [
    'browser-data',
    'high',
    /(?:Login Data|Cookies|Web Data|Local State|logins\.json|key4\.db|cookies\.sqlite)\b[^\n]{0,150}?(?:Chrome|Chromium|Brave|Edge|Firefox|Mozilla)|(?:google-chrome|Chrome|Chromium|BraveSoftware|\.mozilla)\/[^\n]{0,150}?(?:Login\\? Data|Cookies|Web\\? Data|Local\\? State|logins\.json|key4\.db|cookies\.sqlite)/,
    "reads a browser's passwords or cookies",
  ],
  [
    'keychain-read',
    'high',
    /\bsecurity\s{1,5}(?:find-(?:generic|internet)-password|dump-keychain|export)\b|\bsecret-tool\s{1,5}(?:lookup|search)\b|\bcmdkey\s{1,5}\/list\b|\bkwallet-query\b/i,
    'reads passwords from the keychain',
  ],
  [
    'clipboard-piped-out',
    'high',
    /\b(?:pbpaste|xclip\s[^\n|]{0,40}?-o|xsel\s[^\n|]{0,40}?-[ob]|wl-paste|Get-Clipboard)\b[^\n|]{0,60}\|\s{0,5}(?:[^\n|]{1,60}\|\s{0,5}){0,2}(?:curl|wget|nc|ncat|socat)\b/i,
    'sends the clipboard away',
  ],
  [
    'home-piped-out',
    'critical',
    /\b(?:tar|zip)\s[^\n|]{0,150}?(?:~|\$HOME|\$\{HOME\}|\/home\b|\/Users\b|\/root\b|\/etc\b)[^\n|]{0,100}\|\s{0,5}(?:[^\n|]{1,60}\|\s{0,5}){0,2}(?:curl|wget|nc|ncat|socat|ssh)\b/i,
    'sends the home folder away',
  ],
  [
    'shell-history',
    'medium',
    /(?:~|\$HOME|\$\{HOME\})\/\.(?:bash_history|zsh_history|python_history|mysql_history|psql_history)\b|fish_history\b/i,
    "reads the history of a person's shell",
  ],
  [
    'image-beacon',
    'high',
    /!\[[^\]\n]{0,100}\]\(https?:\/\/[^)\s]{1,200}?[?&/=](?:\{\{?|\$\{?|<|\[)\s{0,3}(?:\w{0,30}(?:secret|token|key|password|conversation|context|history|memory|prompt|user|data|summary))/i,
    'has the answer show an image whose address carries data of the conversation',
  ],
])
