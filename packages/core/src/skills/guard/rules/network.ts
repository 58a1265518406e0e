import { rulesOf } from '../rule.ts'

/** Doors to the outside. */
export const network = rulesOf('network', [
  [
    'dev-tcp-shell',
    'critical',
    /\/dev\/(?:tcp|udp)\/[\w.${}-]{1,80}\/[\w$]/i,
    'opens a connection from the shell itself, as reverse shells do',
  ],
  [
    'netcat-shell',
    'critical',
    /\b(?:nc|ncat|netcat)\b[^\n]{0,80}?\s-(?:[a-z]{0,4}[ec]|-exec|-sh-exec)\s{1,3}["']?(?:\/bin\/|\/usr\/bin\/)?(?:ba|z|da|k)?sh\b|\bmkfifo\b[^\n]{0,120}?\b(?:nc|ncat|netcat)\b/i,
    'gives a shell to another machine',
  ],
  [
    'python-shell',
    'critical',
    /socket\.socket\([^\n]{0,200}?(?:os\.dup2|subprocess\.(?:call|Popen|run)\(\s{0,3}\[?\s{0,3}["']\/?(?:bin\/)?(?:ba)?sh|pty\.spawn)|\bos\.dup2\(\s{0,3}\w{1,20}\.fileno\(\)|\bpty\.spawn\(\s{0,3}["']\/?(?:bin\/)?(?:ba)?sh/i,
    'gives a shell to another machine, in Python',
  ],
  [
    'scripted-shell',
    'critical',
    /\bperl\s[^\n]{0,40}?-e\b[^\n]{0,40}?\bSocket\b[^\n]{0,200}?exec\b|\bruby\s[^\n]{0,40}?-rsocket\b[^\n]{0,150}?(?:exec|TCPSocket)|\bphp\s{1,3}-r\b[^\n]{0,60}?fsockopen\(|\bfsockopen\([^\n]{0,150}?(?:exec|proc_open|shell_exec)/i,
    'gives a shell to another machine, in a script language',
  ],
  [
    'socat-shell',
    'critical',
    /\bsocat\b[^\n]{0,150}?\b(?:EXEC|SYSTEM):["']?(?:\/bin\/)?(?:ba)?sh/i,
    'gives a shell to another machine',
  ],
  [
    'powershell-shell',
    'critical',
    /\bNew-Object\s{1,3}(?:System\.)?Net\.Sockets\.TCPClient\b/i,
    'opens a connection as reverse shells do, in PowerShell',
  ],
  ['listener', 'high', /\b(?:nc|ncat|netcat)\s{1,3}-[a-z]{0,6}l[a-z]{0,6}\b/i, 'waits for connections from outside'],
  [
    'tunnel',
    'high',
    /\bngrok\s{1,3}(?:http|tcp|start)\b|\bcloudflared\s{1,3}tunnel\b|\blocaltunnel\b|\bnpx\s{1,3}(?:-y\s{1,3})?localtunnel\b|\b(?:chisel|frpc|bore)\s{1,3}(?:client|-c|local)\b|\btailscale\s{1,3}funnel\b/i,
    'opens a tunnel from the internet to this machine',
  ],
  [
    'ssh-reverse',
    'high',
    /\bssh\s[^\n]{0,80}?-[A-Za-z]{0,5}R\s{0,3}(?:[\w.*:-]{1,60}:)?\d{1,5}:/,
    'opens a tunnel back to this machine',
  ],
  ['onion', 'high', /\b[a-z2-7]{16}(?:[a-z2-7]{40})?\.onion\b/i, 'names a hidden service'],
  [
    'bare-address',
    'medium',
    /\bhttps?:\/\/(?!(?:0|10|127)\.|169\.254\.|192\.(?:168|0\.2)\.|172\.(?:1[6-9]|2\d|3[01])\.|198\.51\.100\.|203\.0\.113\.)(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?:[/?#\s"')]|$)/i,
    'reaches a public address that has no name',
  ],
  [
    'cloud-metadata',
    'critical',
    /\b169\.254\.169\.254\b|\bmetadata\.google\.internal\b|\b(?:fd00:ec2::254)\b|\b100\.100\.100\.200\b/i,
    "reads a cloud machine's own credentials",
  ],
])
