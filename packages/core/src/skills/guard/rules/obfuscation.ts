import { rulesOf } from '../rule.ts'

/** Hiding what is done. */
export const obfuscation = rulesOf('obfuscation', [
  [
    'decode-to-shell',
    'critical',
    /\bbase(?:64|32)\s{1,3}(?:-{1,2}d(?:ecode)?|-D)\b[^\n]{0,80}?\|\s{0,5}(?:sudo\s{1,3})?(?:(?:ba|z|da|k)?sh|python\d?|perl|ruby|node|php)\b|\b(?:eval|exec|source)\b[^\n]{0,60}?base64\s{1,3}(?:-{1,2}d|-D)/i,
    'runs a program that is written in a code',
  ],
  [
    'hex-to-shell',
    'critical',
    /\bxxd\s[^\n|]{0,30}?-r[^\n|]{0,80}\|\s{0,5}(?:(?:ba|z|da|k)?sh|python\d?|perl|node)\b|\bprintf\s{1,3}["'](?:\\\\?x[0-9a-f]{2}){4,}[^\n|]{0,200}\|\s{0,5}(?:ba|z)?sh\b/i,
    'runs a program that is written in hexadecimal',
  ],
  [
    'reversed-to-shell',
    'critical',
    /\|\s{0,5}rev\s{0,3}\|\s{0,5}(?:(?:ba|z)?sh|python\d?|perl)\b|\btr\s{1,3}["']?A-Za-z["']?\s{1,3}["']?N-ZA-Mn-za-m["']?\s{0,3}\|\s{0,5}(?:(?:ba|z)?sh|python\d?)\b/i,
    'runs a program that is written backwards or shifted',
  ],
  [
    'python-exec-decoded',
    'critical',
    /\b(?:exec|eval|compile)\s{0,3}\(\s{0,3}[^\n]{0,80}?(?:b64decode|b32decode|bytes\.fromhex|codecs\.decode|zlib\.decompress|marshal\.loads|unhexlify)\b/i,
    'runs Python that is written in a code',
  ],
  [
    'python-hidden-import',
    'critical',
    /__import__\(\s{0,3}["'](?:os|subprocess|socket|pty|ctypes)["']\s{0,3}\)|\bgetattr\(\s{0,3}(?:os|subprocess|builtins|__builtins__)\s{0,3},\s{0,3}["'][^"'\n]{1,30}["']\s{0,3}[+)]|\bgetattr\(\s{0,3}__builtins__/i,
    'hides which functions it calls',
  ],
  [
    'script-eval-decoded',
    'critical',
    /\b(?:eval|Function|setTimeout)\s{0,3}\(\s{0,3}(?:atob|unescape|decodeURIComponent|Buffer\.from)\s{0,3}\(/i,
    'runs JavaScript that is written in a code',
  ],
  [
    'character-codes',
    'high',
    /\bString\.fromCharCode\(\s{0,3}(?:(?:0x)?[\da-f]{2,4}\s{0,3},\s{0,3}){8,}|(?:\bchr\(\s{0,2}\d{2,3}\s{0,2}\)\s{0,3}[+.]\s{0,3}){5,}/i,
    'spells text by the numbers of its letters',
  ],
  [
    'escape-run',
    'high',
    /(?:\\x[0-9a-f]{2}){16,}|(?:\\u00[0-9a-f]{2}){12,}|(?:\\[0-3][0-7]{2}){16,}/i,
    'spells text by escapes',
  ],
  [
    'encoded-powershell',
    'critical',
    /\bpowershell(?:\.exe)?\b[^\n]{0,120}?\s-(?:e|en|enc|enco|encod|encode|encoded|encodedcommand)\s{1,3}["']?[A-Za-z0-9+/=]{16,}/i,
    'runs PowerShell that is written in a code',
  ],
  ['hidden-window', 'high', /\s-(?:w|windowstyle)\s{1,3}hidden\b/i, 'runs in a window that nobody sees'],
  [
    'long-code',
    'medium',
    /(?<![A-Za-z0-9+/,;:]|base64,)(?=[A-Za-z0-9+/]{0,300}?[A-Z])(?=[A-Za-z0-9+/]{0,300}?[a-z])(?=[A-Za-z0-9+/]{0,300}?\d)[A-Za-z0-9+/]{400}/,
    'holds a long text in a code',
  ],
  [
    'split-command',
    'high',
    /\$\{IFS\}|\$IFS\$9|\b(?:c''url|w''get|cu\\rl|ba''sh|b\\ash|e''val)\b|(?:\$\{\w{1,12}:\d{1,3}:1\}){3,}/i,
    'splits words so that they are not recognised',
  ],
  [
    'unpickle',
    'high',
    /\b(?:pickle|cPickle|marshal|dill|shelve)\.loads?\(\s{0,3}(?:requests|urllib|httpx|base64|response|r\.content|sock|data_from|b64)/i,
    'loads a Python object from outside, which runs it',
  ],
  [
    'history-off',
    'high',
    /\bunset\s{1,3}HISTFILE\b|\bHISTFILE\s{0,2}=\s{0,2}\/dev\/null\b|\bhistory\s{1,3}-c\b|\bset\s{1,3}\+o\s{1,3}history\b|\bHISTSIZE\s{0,2}=\s{0,2}0\b/i,
    'keeps commands out of the history',
  ],
  [
    'log-removal',
    'critical',
    /\b(?:rm|shred|truncate|>)\s[^\n]{0,60}?\/var\/log\/(?:auth|secure|syslog|wtmp|btmp|lastlog|audit)|\bwevtutil\s{1,3}cl\b|\bjournalctl\s[^\n]{0,40}?--vacuum-time=\s{0,2}1s\b/i,
    'removes the traces of what it did',
  ],
])
