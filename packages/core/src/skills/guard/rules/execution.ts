import { rulesOf } from '../rule.ts'

/** Running what was not looked at. */
export const execution = rulesOf('execution', [
  [
    'substituted-download',
    'high',
    /\b(?:(?:ba|z|da|k)?sh|python\d?|perl|ruby|node|php)\s{1,3}-[ce]\s{1,3}["'`]{0,2}\s{0,3}\$\(\s{0,3}(?:curl|wget)\b|\b(?:source|\.|bash|sh|zsh|python\d?)\s{1,3}<\(\s{0,3}(?:curl|wget)\b|\beval\s{1,3}["'`]{0,2}\$\(\s{0,3}(?:curl|wget)\b/i,
    'runs what it downloads',
  ],
  [
    'powershell-download',
    'critical',
    /\b(?:iex|Invoke-Expression)\b[^\n]{0,80}?(?:iwr|irm|Invoke-WebRequest|Invoke-RestMethod|DownloadString|Net\.WebClient)|(?:DownloadString|Invoke-WebRequest|Invoke-RestMethod|\biwr|\birm)\b[^\n]{0,200}?\|\s{0,3}(?:iex|Invoke-Expression)\b/i,
    'runs what it downloads, in PowerShell',
  ],
  [
    'living-off-the-land',
    'critical',
    /\b(?:mshta|regsvr32|rundll32|installutil|msbuild|wscript|cscript)(?:\.exe)?\s[^\n]{0,100}?https?:|\bcertutil(?:\.exe)?\s[^\n]{0,80}?-(?:urlcache|decode)\b|\bbitsadmin\b[^\n]{0,60}?\/transfer\b/i,
    'has a program of Windows fetch and run something',
  ],
  [
    'run-from-temporary',
    'high',
    /\bchmod\s{1,3}(?:\+x|a\+x|u\+x|7\d\d)\s{1,3}["']?(?:\/tmp|\/var\/tmp|\/dev\/shm|\$TMPDIR)\/|(?:^|[\s;&|])(?:\/tmp|\/var\/tmp|\/dev\/shm)\/\.[\w.-]{1,60}(?:\s|$|&)/i,
    'runs a program from a temporary folder',
  ],
  [
    'download-then-run',
    'high',
    /\b(?:curl|wget)\s[^\n]{0,250}?(?:&&|;)\s{0,3}(?:sudo\s{1,3})?(?:chmod\s{1,3}(?:\+x|a\+x|u\+x|7\d\d)|(?:ba|z)?sh\s{1,3}[\w./-]{1,60}|python\d?\s{1,3}[\w./-]{1,60}\.py|\.\/[\w.-]{1,60})/i,
    'downloads a program and runs it',
  ],
  [
    'apple-script-admin',
    'high',
    /\bdo\s{1,3}shell\s{1,3}script\b[^\n]{0,150}?\bwith\s{1,3}administrator\s{1,3}privileges\b/i,
    'runs a command as administrator on macOS',
  ],
  [
    'eval-remote',
    'critical',
    /\b(?:exec|eval)\s{0,3}\(\s{0,3}(?:requests\.get|urllib\.request\.urlopen|urlopen|httpx\.get|await\s{1,3}\(?\s{0,3}(?:await\s{1,3})?fetch)\s{0,3}\(/i,
    'runs code from the network inside a program',
  ],
  [
    'eval-input',
    'medium',
    /\beval\s{1,3}["']?\$\{?(?:\d|@|\*|\w{0,20}(?:INPUT|ARG|CMD|COMMAND|QUERY|PAYLOAD)\w{0,10})\b/i,
    'runs its input as a command',
  ],
  [
    'background-download',
    'critical',
    /\b(?:nohup|setsid|disown)\b[^\n]{0,60}?(?:curl|wget|bash\s{1,3}-c|python\d?\s{1,3}-c)\b[^\n]{0,200}?&\s{0,3}(?:$|disown|>|["'`])/i,
    'leaves a download running after it ends',
  ],
])
