import { rulesOf } from '../rule.ts'

/** Getting rights that it was not given. */
export const privilegeEscalation = rulesOf('privilege_escalation', [
  ['sudo-without-password', 'critical', /\bNOPASSWD\s{0,3}:/i, 'gives an account all rights without a password'],
  [
    'sudoers',
    'critical',
    /(?:>>?|tee\b[^\n]{0,20}|cp\s|echo\s|visudo\b)[^\n]{0,100}?\/etc\/sudoers(?:\.d\/)?/i,
    'changes who may act as administrator',
  ],
  [
    'set-user-id',
    'critical',
    /\bchmod\s{1,3}(?:[ug]{0,2}\+s|[2467][0-7]{3})\b|\bos\.setuid\(\s{0,3}0\s{0,3}\)|\bos\.chmod\([^\n)]{0,80}?(?:0o[2467][0-7]{3}|S_ISUID)/i,
    'has a program run with the rights of its owner',
  ],
  [
    'root-shell',
    'high',
    /\bsudo\s{1,3}(?:su\b|-i\b|-s\b|(?:ba|z)?sh\b)|\bsu\s{1,3}-\s{0,3}(?:root)?(?:\s{1,3}-c|$)/i,
    'opens a shell of the administrator',
  ],
  [
    'sudo-password-piped',
    'high',
    /\|\s{0,5}sudo\s{1,3}(?:-\w{1,3}\s{1,3}){0,2}-S\b|\bsudo\s{1,3}-S\s{0,3}<<</i,
    'types the password of the administrator by itself',
  ],
  [
    'privileged-container',
    'high',
    /\bdocker\s{1,3}run\b[^\n]{0,200}?(?:--privileged\b|--pid[\s=]host\b|--cap-add[\s=](?:ALL|SYS_ADMIN)\b)/i,
    'starts a container that can leave its box',
  ],
  [
    'mounted-root',
    'critical',
    /\bdocker\s{1,3}run\b[^\n]{0,200}?(?:-v|--volume|--mount)[\s=]{1,2}["']?(?:\/:\/|\/(?:etc|root|home)\/?:\/|type=bind,(?:source|src)=\/,)/i,
    'gives a container the whole machine',
  ],
  ['capability', 'high', /\bsetcap\s{1,3}["']?cap_\w{1,30}/i, 'gives a program rights of the system'],
  [
    'group-membership',
    'high',
    /\b(?:usermod|gpasswd|adduser|net\s{1,3}localgroup)\b[^\n]{0,60}?\b(?:sudo|wheel|admin|administrators|docker|root|lxd)\b/i,
    'makes an account an administrator',
  ],
  [
    'world-writable',
    'medium',
    /\bchmod\s{1,3}(?:-R\s{1,3})?(?:0?777|a\+rwx|ugo\+rwx)\b/i,
    'lets everybody change files',
  ],
  [
    'protection-off',
    'high',
    /\bsetenforce\s{1,3}0\b|\bSELINUX\s{0,2}=\s{0,2}disabled\b|\baa-(?:disable|teardown|complain)\b|\bufw\s{1,3}disable\b|\bsystemctl\s{1,3}(?:stop|disable|mask)\s[^\n]{0,40}?(?:firewalld|ufw|auditd|apparmor|fail2ban|falcon-sensor|clamav)/i,
    'switches off a protection of the system',
  ],
  [
    'apple-protection-off',
    'critical',
    /\bcsrutil\s{1,3}disable\b|\bspctl\s{1,3}--(?:master|global)-disable\b|\bxattr\s{1,3}-[a-z]{0,3}d[a-z]{0,3}\s{1,3}com\.apple\.quarantine\b/i,
    'switches off a protection of macOS',
  ],
  [
    'windows-protection-off',
    'critical',
    /\bSet-MpPreference\s[^\n]{0,80}?-Disable\w{1,40}\s{1,3}(?:\$true|1)|\bAdd-MpPreference\s[^\n]{0,60}?-Exclusion|\bnetsh\s{1,3}advfirewall\s[^\n]{0,60}?state\s{1,3}off\b|\bSet-ExecutionPolicy\s[^\n]{0,40}?(?:Bypass|Unrestricted)\b/i,
    'switches off a protection of Windows',
  ],
  [
    'namespace-entry',
    'high',
    /\bnsenter\s[^\n]{0,60}?(?:-t|--target)[\s=]{1,2}1\b|\bchroot\s{1,3}\/host\b/i,
    'leaves its container',
  ],
  [
    'kernel-module',
    'critical',
    /\b(?:insmod|modprobe)\s{1,3}[\w./-]{1,80}\.ko\b|\bsysctl\s{1,3}-w\s{1,3}kernel\.(?:core_pattern|modprobe)\b/i,
    'loads code into the kernel',
  ],
])
