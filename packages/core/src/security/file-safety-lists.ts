/** `all`: neither read nor written. `write`: not written. */
export type Protection = 'all' | 'write'

/**
 * What is protected below some folder: a file, or a folder with all that is in it; with `*` at the end every name that
 * begins so. All in lower case: names are compared without regard to it.
 */
export interface ProtectedList {
  readonly all: readonly string[]
  readonly write: readonly string[]
}

/** In a Hermes home, and in each home below its `profiles/`. */
export const inHermesHome: ProtectedList = {
  all: [
    '.env*',
    'auth.json*',
    '.anthropic_oauth.json*',
    'slack_tokens.json*',
    'webhook_subscriptions.json*',
    'honcho.json',
    'mem0.json',
    'supermemory.json',
    'hindsight',
    'mcp-tokens',
    'pairing',
    'platforms/pairing',
    'platforms/whatsapp/session',
    'platforms/matrix/store',
    'whatsapp/session',
    'matrix/store',
    'weixin',
    'chrome-debug',
    'skills/.hub',
    'state-snapshots',
    // Whoever writes there has files moved.
    'changes',
  ],
  write: [
    // The settings decide what needs consent, so `hermes config` writes them; what is kept in `cache` stands for them.
    'config.yaml',
    'gateway.json',
    'cache',
    // Databases are written through SQLite alone.
    'state.db*',
    'hermes.db*',
    'gateway.db*',
    'response_store.db*',
    'memory_store.db*',
    // Code that runs by itself, and what says when.
    'bin',
    'checkpoints',
    'cron/jobs.json*',
    'cron/runs.db*',
    'hooks',
    'plugins',
    'runtimes',
    // What was decided, and by whom.
    'logs',
    // The memory tool looks through what goes into every prompt.
    'memories',
    'auth.lock',
    'gateway.pid',
    '.managed',
  ],
}

/** In a person's home folder. */
export const inUserHome: ProtectedList = {
  all: [
    '.ssh',
    '.gnupg',
    '.aws',
    '.azure',
    '.kube',
    '.docker',
    '.password-store',
    '.config/gh',
    '.config/gcloud',
    '.config/git/credentials',
    '.config/hub',
    '.local/share/keyrings',
    '.terraform.d/credentials.tfrc.json',
    '.cargo/credentials*',
    '.gem/credentials',
    '.netrc',
    '.pgpass',
    '.npmrc',
    '.pypirc',
    '.my.cnf',
    '.git-credentials',
    '.vault-token',
    '.claude/.credentials.json',
    '.codex/auth.json',
    '.qwen/oauth_creds.json',
    '.honcho/config.json',
    'library/keychains',
  ],
  write: [
    '.bashrc',
    '.bash_profile',
    '.bash_login',
    '.bash_logout',
    '.bash_aliases',
    '.profile',
    '.zshrc',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.zlogout',
    '.cshrc',
    '.tcshrc',
    '.kshrc',
    '.login',
    '.xprofile',
    '.xinitrc',
    '.xsession*',
    '.pam_environment',
    '.config/zsh',
    '.config/fish/config.fish',
    '.config/fish/conf.d',
    '.config/fish/functions',
    // Programs that run what their settings name: Git with every command, editors and terminals as they start.
    '.gitconfig',
    '.config/git/config',
    '.config/git/hooks',
    '.direnvrc',
    '.config/direnv',
    '.vimrc',
    '.vim',
    '.config/nvim',
    '.emacs',
    '.emacs.d',
    '.gdbinit',
    '.tmux.conf',
    '.config/tmux',
    '.config/code/user/settings.json',
    '.config/code/user/tasks.json',
    '.claude/settings*',
    '.cursor/mcp.json',
    '.config/plasma-workspace',
    '.config/autostart',
    '.config/environment.d',
    '.config/systemd',
    '.local/share/systemd',
    'library/launchagents',
  ],
}

/** From the root of the file system. */
export const inSystem: ProtectedList = {
  all: [
    'etc/shadow*',
    'etc/gshadow*',
    'etc/sudoers',
    'etc/sudoers.d',
    'etc/security/opasswd',
    'run/secrets',
    'run/docker.sock',
    'run/podman/podman.sock',
    'var/run/docker.sock',
    'proc/kcore',
    'proc/kmsg',
    'proc/sysrq-trigger',
  ],
  write: [
    'etc',
    'boot',
    'usr/lib/systemd',
    'lib/systemd',
    'run/systemd',
    'var/spool/cron',
    'private/etc',
    'private/var',
    'proc',
    'sys',
    'dev',
  ],
}

/** Parts of the lists above that are everybody's scratch space. */
export const notProtected: readonly string[] = ['dev/shm', 'private/var/folders', 'private/var/tmp']

/** Folders that hold keys wherever they are, e.g. in another person's home or a backup of one. */
export const keyFolders: ReadonlySet<string> = new Set(['.ssh', '.gnupg'])

/** What a process's folder in `/proc` shows of its memory and environment. */
export const secretProcFile = /^proc\/[^/]+\/(?:task\/\d+\/)?(?:environ|mem|auxv|pagemap|syscall|stack)$/

/**
 * What is not written in any folder, since it runs when a person uses Git or opens the folder in an editor, past all
 * consent. A command that writes it is asked about.
 */
export const runsByItself =
  /(?:^|\/)(?:\.git(?:\/(?:.*\/)?(?:hooks(?:\/.*)?|config(?:\.worktree)?|info\/attributes|commondir))?|\.vscode\/(?:tasks|settings)\.json|\.claude\/settings[^/]*\.json|\.cursor\/mcp\.json)$/
