import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { link, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { checkRead, checkRemove, checkWrite, openChecked } from './file-safety.ts'
import type { FileRules } from './file-safety.ts'
import { FileSafetyError } from './file-safety-error.ts'
import { comparable, createFileGuard, isWithin } from './file-safety-guard.ts'

let root: string
let rules: FileRules

/** Files of a made-up person and their Hermes home, all with the same harmless text. */
const files = [
  'ann/.ssh/id_ed25519',
  'ann/.ssh/authorized_keys',
  'ann/.gnupg/private-keys-v1.d/key',
  'ann/.aws/credentials',
  'ann/.netrc',
  'ann/.bashrc',
  'ann/.config/gh/hosts.yml',
  'ann/.git-credentials',
  'ann/project/notes.txt',
  'ann/project/.env',
  'ann/hermes/.env',
  'ann/hermes/.env.bak',
  'ann/hermes/auth.json',
  'ann/hermes/config.yaml',
  'ann/hermes/state.db',
  'ann/hermes/SOUL.md',
  'ann/hermes/mcp-tokens/github.json',
  'ann/hermes/platforms/pairing/telegram-approved.json',
  'ann/hermes/skills/.hub/lock.json',
  'ann/hermes/skills/mine/SKILL.md',
  'ann/hermes/profiles/work/.env',
  'bob/.ssh/id_rsa',
  'vault/api-key',
]

before(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-safety-')))
  for (const file of files) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), 'text')
  }
  const work = join(root, 'ann/project')
  await symlink(join(root, 'ann/.ssh'), join(work, 'keys'))
  await symlink(join(root, 'ann/.ssh/id_ed25519'), join(work, 'readme'))
  await symlink('readme', join(work, 'readme2'))
  await symlink(join(root, 'ann'), join(work, 'home'))
  await symlink(join(root, 'ann/.ssh/new-key'), join(work, 'dangling'))
  await symlink(join(root, 'ann/.ssh2/../.ssh/other'), join(work, 'dangling2'))
  await symlink(join(root, 'ann/hermes'), join(work, 'agent'))
  await symlink('/proc/self', join(work, 'me'))
  await symlink('circle2', join(work, 'circle1'))
  await symlink('circle1', join(work, 'circle2'))
  await symlink('/', join(work, 'slash'))
  // ~/.vault-token is kept elsewhere: the place it points to is no less secret.
  await symlink(join(root, 'vault/api-key'), join(root, 'ann/.vault-token'))
  await link(join(root, 'ann/.ssh/id_ed25519'), join(work, 'hard'))
  await link(join(root, 'ann/hermes/auth.json'), join(work, 'hard.json'))
  await link(join(root, 'ann/hermes/mcp-tokens/github.json'), join(work, 'hard-token.json'))
  await link(join(work, 'notes.txt'), join(work, 'notes-too.txt'))
  execFileSync('mkfifo', [join(work, 'pipe')])
  const hermes = join(root, 'ann/hermes')
  rules = {
    home: { dir: hermes, path: (...parts) => join(hermes, ...parts) },
    environment: { HOME: join(root, 'ann') },
    cwd: work,
  }
})

after(() => rm(root, { recursive: true, force: true }))

/** `$` is the temporary root. */
const at = (path: string) => path.replaceAll('$', root)

async function codeOf(check: Promise<unknown>): Promise<string> {
  try {
    await check
    return 'allowed'
  } catch (error) {
    assert.ok(error instanceof FileSafetyError, String(error))
    return error.code
  }
}

/** Neither read nor written. */
const secrets: readonly string[] = [
  '~/.ssh/id_ed25519',
  '~/.ssh/authorized_keys',
  '~/.ssh/not-there-yet',
  '~/.ssh',
  '~/.SSH/id_ed25519',
  '~/.ssh/../.ssh/id_ed25519',
  '~//.ssh///id_ed25519',
  '~/.ssh/id_ed25519/',
  '~/.ssh/id_ed25519/.',
  '~/.SsH/ID_ED25519',
  '~/.aws/credentials/../../.ssh/id_ed25519',
  `~/${'./'.repeat(500)}.ssh/id_ed25519`,
  `${'folder-that-is-not-there/../'.repeat(50)}../.ssh/id_ed25519`,
  'keys/./id_ed25519',
  'home/./project/../.ssh/id_ed25519',
  'slash/proc/self/root$/ann/.ssh/id_ed25519',
  '/proc/self/root/proc/self/root$/ann/.ssh/id_ed25519',
  '~/.s\u034Fsh/id_ed25519',
  '~/.ssh\uFE0F/id_ed25519',
  '$/ann/hermes/changes/journal.json',
  'agent/changes/new.json',
  '~/./.ssh//id_ed25519',
  '../.ssh/id_ed25519',
  '../../ann/.ssh/id_ed25519',
  '$/ann/.ssh/id_ed25519',
  '/../..$/ann/.ssh/id_ed25519',
  'keys/id_ed25519',
  'keys',
  'keys/../../.ssh/id_ed25519',
  'readme',
  'readme2',
  'home/.ssh/id_ed25519',
  'home/project/home/project/home/.ssh/id_ed25519',
  'dangling',
  'dangling2',
  'hard',
  'hard.json',
  'hard-token.json',
  'slash$/ann/.ssh/id_ed25519',
  '/proc/self/root$/ann/.ssh/id_ed25519',
  '/proc/self/cwd/../../../../../../../../..$/ann/.ssh/id_ed25519',
  'me/root$/ann/hermes/.env',
  '/proc/thread-self/root$/ann/hermes/auth.json',
  '/dev/fd/../../..$/ann/.ssh/id_ed25519',
  '~/.ſsh/id_ed25519',
  '~/.ss\u200Bh/id_ed25519',
  '~/．ssh/id_ed25519',
  '~/.ss\u00ADh/id_ed25519',
  '$/bob/.ssh/id_rsa',
  '/home/someone/.ssh/id_rsa',
  '/home/someone/.aws/credentials',
  '/root/.netrc',
  '/Users/someone/Library/Keychains/login.keychain-db',
  '~/.gnupg/private-keys-v1.d/key',
  '~/.aws/credentials',
  '~/.netrc',
  '~/.config/gh/hosts.yml',
  '~/.git-credentials',
  '~/.vault-token',
  '$/vault/api-key',
  '$/ann/hermes/.env',
  '$/ann/hermes/.ENV',
  '$/ann/hermes/.env.bak',
  '$/ann/hermes/.env.not-there',
  '$/ann/hermes/auth.json',
  '$/ann/hermes/AUTH.JSON',
  '$/ann/hermes/auth.json.tmp.12.ab',
  'agent/auth.json',
  'agent/skills/mine/../../auth.json',
  '$/ann/hermes/mcp-tokens/github.json',
  '$/ann/hermes/platforms/pairing/telegram-approved.json',
  '$/ann/hermes/skills/.hub/lock.json',
  '$/ann/hermes/profiles/work/.env',
  '$/ann/hermes/profiles/new/auth.json',
  '~/.hermes/.env',
  '/etc/shadow',
  '/etc/SHADOW-',
  '/etc/sudoers.d/ann',
  '/run/secrets/token',
  '/var/run/secrets/kubernetes.io/serviceaccount/token',
  '/proc/self/environ',
  '/proc/1/environ',
  'me/environ',
  '/proc/self/task/1/environ',
  '/proc/self/mem',
  '/proc/kcore',
  '/proc/kmsg',
  '/sys/kernel/debug/tracing/trace_pipe',
]

/** Read, but not written. */
const readOnly: readonly string[] = [
  '/etc/hostname',
  '/etc/cron.d/new',
  'slash/etc/hosts',
  '/boot/grub/grub.cfg',
  '/usr/lib/systemd/system/new.service',
  '/lib/systemd/system/new.service',
  '/var/spool/cron/crontabs/ann',
  '/proc/self/oom_score_adj',
  '/sys/power/state',
  '~/.bashrc',
  '~/.zshenv',
  '~/.profile',
  '~/.config/systemd/user/new.service',
  '~/.config/autostart/new.desktop',
  '/home/someone/.bashrc',
  'home/.bashrc',
  '$/ann/hermes/config.yaml',
  '$/ann/hermes/state.db',
  '$/ann/hermes/state.db-wal',
]

const free: readonly string[] = [
  'notes.txt',
  'notes-too.txt',
  './new/folder/file.txt',
  '.env',
  '.ssh-notes.md',
  'home/project/notes.txt',
  'agent/SOUL.md',
  '$/ann/hermes/skills/mine/SKILL.md',
  '~/notes.md',
  '~notes.md',
  '$/vault/other',
  '/dev/shm/scratch',
]

describe('a path that leads to a secret', () => {
  for (const path of secrets) {
    test(`is neither read nor written: ${path}`, async () => {
      assert.equal(await codeOf(checkRead(at(path), rules)), 'protected')
      assert.equal(await codeOf(checkWrite(at(path), rules)), 'protected')
    })
  }
})

describe('a system or start-up file', () => {
  for (const path of readOnly) {
    test(`is not written: ${path}`, async () => {
      assert.equal(await codeOf(checkWrite(at(path), rules)), 'protected')
      assert.equal(await codeOf(checkRead(at(path), rules)), 'allowed')
    })
  }
})

describe('an ordinary path', () => {
  for (const path of free) {
    test(`is read and written: ${path}`, async () => {
      assert.equal(await codeOf(checkRead(at(path), rules)), 'allowed')
      assert.equal(await codeOf(checkWrite(at(path), rules)), 'allowed')
    })
  }
})

test('devices, pipes and sockets are no files', async () => {
  for (const path of ['pipe', '/dev/zero', '/dev/null', '/dev/tty', '/dev/fd/0', '/dev/stdin']) {
    const code = await codeOf(checkRead(path, rules))
    // What the standard input is depends on who runs the test; a closed one is nothing at all.
    assert.ok(['special-file', ...(/fd|stdin/.test(path) ? ['allowed'] : [])].includes(code), `${path}: ${code}`)
  }
  assert.equal(await codeOf(checkWrite('pipe', rules)), 'special-file')
})

test('a path that is none gets an error that says why', async () => {
  for (const path of ['', '  ', 'a\0b', 'x'.repeat(5_000), 'x'.repeat(300)]) {
    assert.equal(await codeOf(checkRead(path, rules)), 'invalid')
  }
  for (const path of ['circle1', 'circle1/x', 'notes.txt/x']) {
    assert.equal(await codeOf(checkWrite(path, rules)), 'unresolvable')
  }
})

test('many new folders on the way are no chain of links', async () => {
  assert.equal(await codeOf(checkWrite(`${'a/'.repeat(100)}b`, rules)), 'allowed')
})

test('what is checked is the place that a link leads to, also one that is not there yet', async () => {
  await symlink(join(root, 'ann/later.txt'), join(root, 'ann/project/later'))
  assert.equal((await checkWrite('later', rules)).path, join(root, 'ann/later.txt'))
  assert.equal((await checkRemove('later', rules)).path, join(root, 'ann/project/later'))
})

test('only below HERMES_WRITE_SAFE_ROOT is written, wherever links lead', async () => {
  const environment = { ...rules.environment, HERMES_WRITE_SAFE_ROOT: '~/project' }
  const narrow = { ...rules, environment }
  assert.equal(await codeOf(checkWrite('new.txt', narrow)), 'allowed')
  for (const path of ['../new.txt', '~/project-two/x', 'home/new.txt', 'agent/x', '/tmp/x']) {
    assert.equal(await codeOf(checkWrite(path, narrow)), 'outside-root', path)
    assert.equal(await codeOf(checkRead(path, narrow)), 'allowed', path)
  }
  assert.equal(await codeOf(checkWrite('keys/x', narrow)), 'protected')
})

test('~ is the home that commands are given, where the profile has one', async () => {
  const own = join(root, 'ann/hermes/home')
  await mkdir(own)
  try {
    const environment = { ...rules.environment, HERMES_HOME: join(root, 'ann/hermes') }
    assert.equal((await checkRead('~/x', { ...rules, environment })).asked, join(own, 'x'))
    assert.equal((await checkRead('~/x', rules)).asked, join(root, 'ann/x'))
  } finally {
    await rm(own, { recursive: true })
  }
})

test('a file that was swapped after its check is not opened', async () => {
  const path = join(root, 'ann/project/swapped')
  await writeFile(path, 'harmless')
  const checked = await checkRead('swapped', rules)
  {
    await using file = await openChecked(checked)
    assert.equal(await file.readFile('utf8'), 'harmless')
  }
  await rm(path)
  await symlink(join(root, 'ann/.ssh/id_ed25519'), path)
  await assert.rejects(openChecked(checked), { code: 'ELOOP' })
  await rm(path)
  await link(join(root, 'ann/.ssh/id_ed25519'), path)
  await assert.rejects(openChecked(checked), { code: 'changed' })
})

test(
  'a folder that was swapped after the check does not lead elsewhere',
  { skip: process.platform !== 'linux' },
  async () => {
    const folder = join(root, 'ann/project/folder')
    await mkdir(folder)
    await link(join(root, 'ann/project/notes.txt'), join(folder, 'file'))
    const checked = await checkRead('folder/file', rules)
    await rename(folder, join(root, 'ann/project/elsewhere'))
    await symlink(join(root, 'ann/project/elsewhere'), folder)
    await assert.rejects(openChecked(checked), { code: 'changed' })
  },
)

test('opening never waits for a pipe that took the place of a file', async () => {
  const path = join(root, 'ann/project/pipe-later')
  await writeFile(path, 'x')
  const checked = await checkRead('pipe-later', rules)
  await rm(path)
  execFileSync('mkfifo', [path])
  await assert.rejects(openChecked(checked), { code: 'changed' })
})

test('a large protected folder neither hides others nor makes linked files unreadable', async () => {
  const cache = join(root, 'ann/.kube/cache')
  await mkdir(cache, { recursive: true })
  await Promise.all(Array.from({ length: 60 }, (_, index) => writeFile(join(cache, String(index)), '')))
  const homes = { hermesHome: join(root, 'ann/hermes'), userHome: join(root, 'ann') }
  const guard = await createFileGuard({ ...homes, maxIdentities: 40 })
  const protectionOf = async (name: string) =>
    guard.protectionOfLinked(await stat(join(root, 'ann/project', name), { bigint: true }))
  assert.equal(await protectionOf('notes-too.txt'), undefined)
  for (const name of ['hard', 'hard.json', 'hard-token.json']) assert.equal(await protectionOf(name), 'all', name)
})

test('names are compared without case, invisible characters and Unicode form', () => {
  assert.equal(comparable('/A/É/ＡＢ/x\u200By'), comparable('/a/e\u0301/ab/xy'))
  assert.ok(isWithin('/a/b', '/a') && isWithin('/a', '/a') && isWithin('/a', '/') && !isWithin('/ab', '/a'))
})

test('checking changes nothing', async () => {
  assert.equal(await readFile(join(root, 'ann/.ssh/id_ed25519'), 'utf8'), 'text')
})

test('what decides over consent or runs by itself is not written in a home, nor in one of its profiles', async () => {
  const names = [
    'cache/config.json',
    'cache/scanned.json',
    'checkpoints/0123456789abcdef/config',
    'checkpoints/0123456789abcdef/info/attributes',
    'cron/jobs.json',
    'cron/runs.db-wal',
    'gateway.db',
    'hooks/mine/handler.py',
    'plugins/x/index.js',
    'runtimes/llama/node_modules/node-llama-cpp/dist/index.js',
    'bin/tirith',
    'logs/audit.jsonl',
    'memories/MEMORY.md',
  ]
  for (const name of names) {
    for (const profile of ['', 'profiles/work/']) {
      const path = join(root, 'ann/hermes', profile, name)
      await assert.rejects(checkWrite(path, rules), FileSafetyError, path)
    }
  }
  await checkWrite(join(root, 'ann/hermes/notes.md'), rules)
})

test('what other programs run by themselves is not written, wherever it lies', async () => {
  const refused = [
    'repo/.git/hooks/pre-commit',
    'repo/.git/config',
    'repo/.git/modules/part/config',
    'repo/.git/worktrees/a/config.worktree',
    'repo/.git/info/attributes',
    'repo/sub/.git',
    'repo/.GIT/hooks/post-checkout',
    'repo/.vscode/tasks.json',
    'repo/.vscode/settings.json',
    'repo/.claude/settings.local.json',
    'repo/.cursor/mcp.json',
    '~/.gitconfig',
    '~/.config/git/config',
    '~/.config/nvim/init.lua',
    '~/.vimrc',
    '~/.tmux.conf',
  ]
  for (const name of refused) {
    await assert.rejects(checkWrite(name.startsWith('~') ? name : join(root, name), rules), FileSafetyError, name)
  }
  const written = [
    'repo/.gitignore',
    'repo/.gitattributes',
    'repo/.github/workflows/test.yml',
    'repo/hooks/pre-commit',
    'repo/config',
    'repo/.vscode/extensions.json',
    'repo/.claude/CLAUDE.md',
    'repo/package.json',
  ]
  for (const name of written) await checkWrite(join(root, name), rules)
})
