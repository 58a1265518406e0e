import { rulesOf } from '../rule.ts'

/** Destroying what cannot be brought back. */
export const destructive = rulesOf('destructive', [
  [
    'remove-root',
    'critical',
    /\brm\s{1,5}(?:-{1,2}[\w-]{1,30}\s{1,5}){1,5}["']?(?:\/|\/\*|~|~\/|~\/\*|\$HOME|\$\{HOME\}|\$HOME\/\*?|\/(?:home|usr|etc|var|boot|bin|lib|root|opt|Users|System))(?:\/?\*)?["']?(?=\s|$|[;&|`)])/i,
    'removes the system or the home folder',
  ],
  ['no-preserve-root', 'critical', /--no-preserve-root\b/i, 'removes the whole system'],
  [
    'remove-variable',
    'high',
    /\brm\s{1,5}(?:-[a-z]{0,6}r[a-z]{0,6}f?[a-z]{0,6}|-f\s{1,3}-r)\s{1,5}["']?\$\{?\w{1,40}\}?["']?\/(?:\*|\s|$|["';&|])/i,
    'removes everything when a variable is empty',
  ],
  [
    'remove-in-code',
    'critical',
    /\b(?:shutil\.rmtree|rimraf(?:\.sync)?|fs\.rm(?:Sync)?|FileUtils\.rm_rf|os\.removedirs)\(\s{0,3}(?:["'](?:\/|~|\/home|\/Users|\/etc|C:\\{1,2})["']|os\.path\.expanduser\(\s{0,3}["']~["']|Path\.home\(\)|os\.homedir\(\)|Dir\.home)/i,
    'removes the system or the home folder from a program',
  ],
  ['make-filesystem', 'critical', /\bmkfs(?:\.\w{2,8})?\s{1,5}[^\n]{0,60}?\/dev\/\w/i, 'formats a disk'],
  [
    'overwrite-disk',
    'critical',
    /\bdd\s[^\n]{0,120}?\bof=\/dev\/(?:sd|hd|vd|xvd|nvme|disk|mmcblk)|(?:^|[^2&>])>{1,2}\s{0,3}\/dev\/(?:sd[a-z]|nvme\d|vd[a-z]|disk\d)|\b(?:wipefs|blkdiscard|sgdisk\s{1,3}(?:-Z|--zap-all))\s[^\n]{0,60}?\/dev\//i,
    'overwrites a disk',
  ],
  [
    'fork-bomb',
    'critical',
    /:\s{0,3}\(\s{0,3}\)\s{0,3}\{\s{0,3}:\s{0,3}\|\s{0,3}:\s{0,3}&\s{0,3}\}|\bwhile\s{1,3}(?:True|1|true)\s{0,3}[:)][^\n]{0,40}?(?:os\.fork\(\)|fork\(\))/i,
    'starts programs without end',
  ],
  [
    'find-delete-root',
    'critical',
    /\bfind\s{1,5}(?:\/|~|\$HOME|\/home|\/etc|\/var|\/usr)\/?\s[^\n]{0,120}?(?:-delete\b|-exec\s{1,3}rm\b)/i,
    'deletes what it finds in the system or the home folder',
  ],
  [
    'shred',
    'high',
    /\bshred\s{1,5}(?:-\w{1,8}\s{1,5}(?:\d{1,3}\s{1,5})?){0,4}(?:~|\$HOME|\/home|\/etc|\/var|\*)/i,
    'shreds files beyond recovery',
  ],
  ['kill-all', 'high', /\bkill\s{1,5}(?:-9|-KILL|-s\s{1,3}KILL)\s{1,5}-1\b|\bkillall5\b/i, 'ends every program'],
  ['crontab-remove', 'high', /\bcrontab\s{1,5}-r\b/i, 'removes all scheduled jobs'],
  [
    'firewall-flush',
    'high',
    /\biptables\s{1,5}(?:-t\s{1,3}\w{1,10}\s{1,5})?(?:-F|--flush)\b|\bnft\s{1,5}flush\s{1,5}ruleset\b/i,
    'removes all rules of the firewall',
  ],
  [
    'truncate-system',
    'critical',
    /(?:^|[^0-9&>])>\s{0,3}\/etc\/(?:passwd|shadow|fstab|hosts|sudoers)\b|\btruncate\s[^\n]{0,60}?\/(?:etc|boot|usr)\//i,
    'empties a file of the system',
  ],
  [
    'windows-remove',
    'critical',
    /\bRemove-Item\s[^\n]{0,120}?-Recurse[^\n]{0,80}?(?:C:\\|\$env:(?:USERPROFILE|SystemRoot)|\$HOME)|\b(?:rd|rmdir)\s{1,5}\/s\s{1,5}(?:\/q\s{1,5})?C:(?:\\|\s|$)|\bformat\s{1,5}[A-Z]:(?:\s|$)|\bvssadmin\s{1,5}delete\s{1,5}shadows\b/i,
    'removes the system or the home folder on Windows',
  ],
  [
    'backup-remove',
    'critical',
    /\btmutil\s{1,5}(?:delete|disable)\b|\bwbadmin\s{1,5}delete\b|\bbcdedit\s[^\n]{0,60}?recoveryenabled\s{1,3}no\b/i,
    'removes backups',
  ],
])
