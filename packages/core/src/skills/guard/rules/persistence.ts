import { rulesOf } from '../rule.ts'

/** Staying where it was not asked to stay. */
export const persistence = rulesOf('persistence', [
  [
    'authorized-keys',
    'critical',
    /(?:>>?|tee\b[^\n]{0,30}|cp\s|append|add|write|echo)[^\n]{0,150}?authorized_keys\b/i,
    'lets somebody else log in by SSH',
  ],
  [
    'crontab-install',
    'high',
    /\|\s{0,5}crontab\s{1,3}-(?:\s|$|["'`)])|>>?\s{0,3}\/etc\/cron(?:tab|\.\w{1,10}\/)|\/var\/spool\/cron\//i,
    'adds a scheduled job to the system',
  ],
  [
    'shell-startup',
    'medium',
    /(?:>>|tee\s{1,3}-a|append(?:ing)?\b[^\n]{0,60}?\bto)\s{0,3}["']?(?:~|\$HOME|\$\{HOME\}|\/root|\/home\/[\w.-]{1,40})\/\.(?:bashrc|bash_profile|bash_login|profile|zshrc|zprofile|zshenv|kshrc|xinitrc|xprofile|config\/fish\/config\.fish)\b/i,
    'changes what a shell does when it starts',
  ],
  [
    'system-startup',
    'high',
    /(?:>>?|tee\b[^\n]{0,20}|cp\s[^\n]{0,100}?|install\s[^\n]{0,100}?)\s{0,3}["']?\/etc\/(?:rc\.local|profile(?:\.d\/)?|environment|ld\.so\.preload|init\.d\/|pam\.d\/|update-motd\.d\/)/i,
    'changes what the system does when it starts',
  ],
  [
    'service-install',
    'medium',
    /(?:>>?|tee\b[^\n]{0,20}|cp\s[^\n]{0,100}?|install\s[^\n]{0,100}?|ln\s[^\n]{0,100}?)\s{0,3}["']?(?:\/etc|\/usr\/lib|\/lib|~\/\.config|\$HOME\/\.config)\/systemd\/(?:system|user)\//i,
    'installs a service',
  ],
  [
    'launch-agent',
    'medium',
    /\/Library\/Launch(?:Agents|Daemons)\/|\blaunchctl\s{1,5}(?:load|bootstrap|submit)\b/i,
    'installs a launch agent on macOS',
  ],
  [
    'windows-run-key',
    'critical',
    /\\(?:CurrentVersion|Windows)\\(?:Run|RunOnce)\b|\breg\s{1,3}add\s[^\n]{0,150}?\\Run\b/i,
    'starts itself with Windows',
  ],
  [
    'windows-task',
    'high',
    /\bschtasks\b[^\n]{0,40}?\/create\b|\b(?:Register|New)-ScheduledTask\b|\bNew-Service\b/i,
    'adds a scheduled task to Windows',
  ],
  [
    'git-hook',
    'high',
    /(?:>>?|tee\b[^\n]{0,20}|cp\s[^\n]{0,100}?|ln\s[^\n]{0,100}?)\s{0,3}["']?[^\s"']{0,80}?\.git\/hooks\/[\w-]{1,30}|\bcore\.hooksPath\b/i,
    'puts a program into the hooks of a Git repository',
  ],
  [
    'agent-files',
    'high',
    /(?:>>?|tee\b[^\n]{0,20}|\b(?:append|add|write|insert|save|inject|prepend|copy)\b[^\n]{0,80}?\b(?:to|into|in))\s{0,3}["'`]{0,2}[^\s"'`]{0,60}?(?:\bSOUL\.md|\bMEMORY\.md|\bUSER\.md|\.cursorrules|\.hermes\/(?:config\.yaml|\.env|auth\.json|cron\/|plugins\/|hooks\/))/i,
    "changes the agent's own identity, memory or settings",
  ],
  [
    'agent-instructions',
    'medium',
    /(?:>>?|tee\b[^\n]{0,20})\s{0,3}["'`]{0,2}[^\s"'`]{0,60}?(?:\bAGENTS\.md|\bCLAUDE\.md|\.hermes\.md|\bHERMES\.md)/i,
    'changes what agents read in a project',
  ],
  [
    'self-copy',
    'critical',
    /\b(?:cp|rsync|mv|ln)\s[^\n]{0,120}?(?:SKILL\.md|\$0|\$\{BASH_SOURCE[^}]{0,10}\}|__file__)[^\n]{0,120}?\.(?:hermes|claude|codex|cursor)\/(?:skills|plugins|commands)\b/i,
    'copies itself into the skills of agents',
  ],
  [
    'preload',
    'critical',
    /\b(?:LD_PRELOAD|DYLD_INSERT_LIBRARIES)\s{0,3}=\s{0,3}["']?[^\s"']/i,
    'puts its code into other programs',
  ],
  [
    'delayed-run',
    'medium',
    /\|\s{0,5}at\s{1,3}(?:now|midnight|noon|\d)|\bsystemd-run\s[^\n]{0,80}?--on-(?:calendar|active|boot)/i,
    'has something run later',
  ],
  [
    'ssh-config',
    'high',
    /\bProxyCommand\s{1,3}[^\n]{0,80}?(?:nc|ncat|bash|sh|python)\b|\bPermitLocalCommand\s{1,3}yes\b/i,
    'has SSH run a program',
  ],
])
