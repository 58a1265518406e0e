import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, symlink, truncate, unlink, utimes, writeFile } from 'node:fs/promises'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { checkpointFixture, servicesAt, stateOf } from './checkpoint-fixture.ts'
import { openGitStore } from './git-store.ts'

test('a restore brings back content, deletions, modes and links, and takes away what was made since', async () => {
  await using one = await checkpointFixture({ 'a.txt': 'one', 'src/b.txt': 'two', 'run.sh': '#!/bin/sh', key: 'k' })
  await chmod(one.path('run.sh'), 0o755)
  await chmod(one.path('key'), 0o600)
  await symlink('a.txt', one.path('link'))
  const before = await one.state()
  const hash = await one.mark()
  await one.put('a.txt', 'changed')
  await rm(one.path('src'), { recursive: true })
  await chmod(one.path('run.sh'), 0o644)
  await chmod(one.path('key'), 0o644)
  await unlink(one.path('link'))
  await symlink('/etc/passwd', one.path('link'))
  await one.put('new/deep/file', 'new')
  const { restored, removed, kept, problems } = await one.restore(hash)
  assert.deepEqual(await one.state(), before)
  assert.deepEqual([...restored].sort(), ['a.txt', 'key', 'link', 'run.sh', 'src/b.txt'])
  assert.deepEqual([removed, kept, problems], [['new/deep/file'], [], []])
  assert.equal(existsSync(one.path('new')), false)
})

test('a restore can be taken back', async () => {
  await using one = await checkpointFixture({ a: 'old', gone: 'x' })
  const hash = await one.mark()
  await one.put('a', 'new')
  await one.put('b', 'made since')
  await unlink(one.path('gone'))
  const after = await one.state()
  const { undo } = await one.restore(hash)
  assert.notDeepEqual(await one.state(), after)
  assert.equal((await one.list())[0]?.hash, undo)
  await one.restore(undo)
  assert.deepEqual(await one.state(), after)
})

test('what was made since stays without consent, whatever else was made meanwhile', async () => {
  await using one = await checkpointFixture({ a: 'old' })
  const hash = await one.mark()
  await one.put('asked', '1')
  await one.put('not asked', '2')
  const { removed, kept } = await one.store.restore({ hash, remove: ['asked'] }, one.signal)
  assert.deepEqual([removed, kept], [['asked'], ['not asked']])
  assert.deepEqual(Object.keys(await one.state()).sort(), ['a', 'not asked'])
})

test('one file or folder comes back alone', async () => {
  await using one = await checkpointFixture({ a: '1', b: '1', 'c/d': '1', cd: '1' })
  const hash = await one.mark()
  for (const name of ['a', 'b', 'c/d', 'cd']) await one.put(name, '2')
  await one.restore(hash, 'a')
  await one.restore(hash, 'c')
  assert.deepEqual(
    Object.values(await one.state()).map((text) => text.slice(-1)),
    ['1', '2', '2', '1'],
  )
  for (const path of ['../x', '/etc/passwd', '', 'a/../../x']) {
    await assert.rejects(one.store.planRestore({ hash, path }, one.signal), { code: 'bad-path' })
  }
})

test('what changed in the second of a checkpoint, by as many bytes, is seen whenever it is looked for', async () => {
  await using one = await checkpointFixture()
  const nextSecond = () => wait(1_000 - (Date.now() % 1_000))
  await nextSecond()
  await one.put('a', '1')
  const hash = await one.mark()
  await one.put('a', '2')
  await nextSecond()
  await one.restore(hash)
  assert.match((await one.state())['a'] ?? '', / 1$/)
})

test('names of every kind are kept', async () => {
  const names = [
    '-rf',
    'with space',
    'new\nline',
    'tab\tname',
    'ünï©ødé',
    '日本語/ファイル',
    'back\\slash',
    '"quoted"',
    ':(top)x',
    '*',
    'git~1',
    ' ',
  ]
  await using one = await checkpointFixture(Object.fromEntries(names.map((name) => [name, name])))
  const before = await one.state()
  const hash = await one.mark()
  for (const name of names) await rm(one.path(name))
  await one.restore(hash)
  assert.deepEqual(await one.state(), before)
  await one.put('-rf', 'changed')
  await one.restore(hash, '-rf')
  assert.deepEqual(await one.state(), before)
})

test('bytes stay as they are, whatever the project and the person say of line ends and filters', async () => {
  const home = { HOME: '', XDG_CONFIG_HOME: '' }
  await using one = await checkpointFixture({ '.gitattributes': '* text=auto eol=crlf ident filter=upper\n' })
  await one.put('mixed', 'a\r\nb\n$Id$\n')
  await one.put(
    'bytes',
    Uint8Array.from({ length: 256 }, (_, index) => index),
  )
  await one.put(
    'home/.gitconfig',
    '[filter "upper"]\n clean = tr a-z A-Z\n[core]\n autocrlf = true\n hooksPath = hooks\n',
  )
  home.HOME = one.path('home')
  const store = await openGitStore({ folder: one.folder }, servicesAt(one.homeDir, { environment: home }))
  const before = await one.state()
  const { hash = '' } = await store.take('x', [], one.signal)
  for (const name of ['mixed', 'bytes']) await rm(one.path(name))
  await one.restore(hash)
  assert.deepEqual(await one.state(), before)
})

test("nothing of the person's repository is touched or run, and no variable of git leads elsewhere", async () => {
  await using one = await checkpointFixture({ a: '1' })
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', one.folder, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args])
  git('init', '--quiet')
  git('add', 'a')
  git('commit', '--quiet', '-m', 'first')
  await one.put('a', '2')
  git('add', 'a')
  for (const hook of ['pre-commit', 'post-index-change', 'reference-transaction', 'post-checkout']) {
    await writeFile(one.path('.git/hooks', hook), '#!/bin/sh\ntouch "$HERMES_TEST_RAN"\n', { mode: 0o755 })
  }
  const before = await stateOf(one.path('.git'))
  const environment = {
    GIT_DIR: one.path('.git'),
    GIT_INDEX_FILE: one.path('.git/index'),
    GIT_WORK_TREE: '/',
    GIT_OBJECT_DIRECTORY: one.path('.git/objects'),
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.hooksPath',
    GIT_CONFIG_VALUE_0: one.path('.git/hooks'),
    HERMES_TEST_RAN: join(one.root, 'ran'),
  }
  Object.assign(process.env, environment)
  try {
    const store = await openGitStore({ folder: one.folder }, servicesAt(one.homeDir, { environment }))
    const { hash = '' } = await store.take('x', [], one.signal)
    await one.put('a', '3')
    await store.restore({ hash, remove: [] }, one.signal)
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name]
  }
  assert.equal(await readFile(one.path('a'), 'utf8'), '2')
  assert.deepEqual(await stateOf(one.path('.git')), before)
  assert.equal(existsSync(join(one.root, 'ran')), false)
})

test('repositories inside the folder are kept like other folders, and their .git is not', async () => {
  await using one = await checkpointFixture({ a: '1', 'lib/code': 'x', 'lib/sub/more': 'y', 'lib/.gitignore': 'out\n' })
  execFileSync('git', ['init', '--quiet', one.path('lib')])
  await one.put('lib/out', 'ignored')
  await one.put('module/.git', 'gitdir: ../nowhere\n')
  await one.put('module/file', 'z')
  const hash = await one.mark()
  const kept = one.git('ls-tree', '-r', '--name-only', hash).split('\n')
  assert.deepEqual(kept, ['a', 'lib/.gitignore', 'lib/code', 'lib/sub/more', 'module/file'])
  await rm(one.path('lib/code'))
  await rm(one.path('lib/sub'), { recursive: true })
  await one.restore(hash)
  assert.equal(await readFile(one.path('lib/sub/more'), 'utf8'), 'y')
  assert.equal(existsSync(one.path('lib/.git/HEAD')), true)
})

test('secrets, dependencies and what the project ignores are left alone', async () => {
  await using one = await checkpointFixture({
    '.gitignore': 'local.db\n',
    '.env': 'KEY=1',
    '.env.local': 'KEY=1',
    'node_modules/x/index.js': '1',
    'local.db': 'data',
    a: '1',
  })
  const hash = await one.mark()
  assert.deepEqual(one.git('ls-tree', '-r', '--name-only', hash).split('\n'), ['.gitignore', 'a'])
  for (const name of ['.env', 'node_modules/x/index.js', 'local.db', 'a']) await one.put(name, '2')
  await one.restore(hash)
  assert.equal(await readFile(one.path('local.db'), 'utf8'), '2')
  assert.equal(await readFile(one.path('.env'), 'utf8'), '2')
})

test('a file that is about to be changed is kept although the project ignores it, also later', async () => {
  await using one = await checkpointFixture({ '.gitignore': 'notes.txt\n', 'notes.txt': 'mine', '.env': 'KEY=1' })
  const { hash = '' } = await one.take('before write_file', ['notes.txt', '.env'])
  assert.deepEqual(one.git('ls-tree', '-r', '--name-only', hash).split('\n'), ['.gitignore', 'notes.txt'])
  await one.put('notes.txt', 'replaced')
  const { undo } = await one.restore(hash)
  assert.match((await one.state())['notes.txt'] ?? '', /mine$/)
  await one.restore(undo)
  assert.match((await one.state())['notes.txt'] ?? '', /replaced$/)
})

test('what the rules of then ignored is not taken for new', async () => {
  await using one = await checkpointFixture({ '.gitignore': 'data/\n', 'data/db': 'precious', a: '1' })
  const hash = await one.mark()
  await one.put('.gitignore', '')
  const { removed } = await one.restore(hash)
  assert.deepEqual(removed, [])
  assert.match((await one.state())['data/db'] ?? '', /precious$/)
})

test('a large file is left out and told, and no restore takes it away', async () => {
  const limits = { maxFiles: 100, maxFileBytes: 1000, maxTotalBytes: 10_000 }
  await using one = await checkpointFixture({ big: 'x'.repeat(1001), a: '1' }, { limits })
  const taken = await one.take()
  assert.deepEqual(taken.leftOut, ['big'])
  await truncate(one.path('big'), 10)
  const { removed } = await one.restore(taken.hash ?? '')
  assert.deepEqual(removed, [])
  assert.equal(statSync(one.path('big')).size, 10)
})

test('too many files, or too much in them, is refused, and what is left out of checkpoints does not count', async () => {
  const limits = { maxFiles: 20, maxFileBytes: 1000, maxTotalBytes: 10_000 }
  await using one = await checkpointFixture({}, { limits })
  for (let index = 0; index < 30; index++) await one.put(`node_modules/${index}`, 'x'.repeat(900))
  for (let index = 0; index < 12; index++) await one.put(`src/${index}`, 'x'.repeat(900))
  await assert.rejects(one.take(), { code: 'too-large' })
  for (let index = 0; index < 20; index++) await one.put(`src/${index}`, 'x')
  await assert.rejects(one.take(), { code: 'too-many-files', message: /20 files or more/ })
  await rm(one.path('src/0'))
  assert.ok((await one.take()).hash)
})

test('nothing changed is no new checkpoint', async () => {
  await using one = await checkpointFixture({ a: '1' })
  await one.mark()
  await utimes(one.path('a'), 1, 1)
  assert.equal((await one.take()).hash, undefined)
  assert.equal((await one.list()).length, 1)
})

test('an empty folder has a checkpoint, too', async () => {
  await using one = await checkpointFixture()
  const hash = await one.mark()
  await one.put('a', '1')
  await one.restore(hash)
  assert.deepEqual(await one.state(), {})
})

test('the list tells when, why and how much, and diff what has changed since', async () => {
  await using one = await checkpointFixture({ a: '1\n2\n' })
  assert.deepEqual(await one.list(), [])
  const first = await one.mark('before write_file: a')
  await one.put('a', '1\n3\n')
  await one.put('b', 'b\n')
  const second = await one.mark('before terminal: rm -rf ü')
  const [newest, oldest] = await one.list()
  assert.equal(newest?.hash, second)
  assert.equal(newest?.reason, 'before terminal: rm -rf ü')
  assert.deepEqual([newest?.filesChanged, newest?.insertions, newest?.deletions], [2, 2, 1])
  assert.ok(Math.abs(Date.now() - (newest?.takenAt.getTime() ?? 0)) < 60_000)
  assert.equal(oldest?.hash, first)
  await one.put('b', 'c\n')
  const { summary, patch } = await one.store.diff(first, one.signal)
  assert.match(summary, /2 files changed/)
  assert.match(patch, /^\+c$/m)
  await assert.rejects(one.store.diff('deadbeef', one.signal), { code: 'not-found' })
  await assert.rejects(one.store.diff('--output=x', one.signal), { code: 'not-found' })
})

test('a folder and a file may have changed places, and a link is never written through', async () => {
  await using one = await checkpointFixture({ a: 'file', 'b/c': 'in a folder', 'd/e': 'safe', 'outside/e': 'theirs' })
  const before = await one.state()
  const hash = await one.mark()
  await unlink(one.path('a'))
  await one.put('a/x/y', 'now a folder')
  await rm(one.path('b'), { recursive: true })
  await one.put('b', 'now a file')
  await rm(one.path('d'), { recursive: true })
  await rename(one.path('outside'), join(one.root, 'outside'))
  await symlink(join(one.root, 'outside'), one.path('d'))
  const { problems } = await one.restore(hash)
  assert.deepEqual(problems, [])
  assert.deepEqual(await one.state(), before)
  assert.equal(await readFile(join(one.root, 'outside/e'), 'utf8'), 'theirs')
})

test('what is in no checkpoint never makes way', async () => {
  const limits = { maxFiles: 100, maxFileBytes: 1000, maxTotalBytes: 10_000 }
  await using one = await checkpointFixture({ out: 'a file', data: 'small' }, { limits })
  const hash = await one.mark()
  await rm(one.path('out'))
  await one.put('out/node_modules/x', 'of a tool')
  await one.put('data', 'x'.repeat(1001))
  const { problems, restored } = await one.restore(hash)
  assert.match(problems.join('\n'), /^data: .*in no checkpoint.*\nout: .*folder/)
  assert.deepEqual(restored, [])
  assert.equal(await readFile(one.path('out/node_modules/x'), 'utf8'), 'of a tool')
  assert.equal(statSync(one.path('data')).size, 1001)
})

test('what is in the way of a folder goes only with consent', async () => {
  await using one = await checkpointFixture({ 'b/c': 'in a folder', 'b/.gitignore': 'x' })
  const hash = await one.mark()
  await rm(one.path('b'), { recursive: true })
  await one.put('b', 'now a file')
  const { problems } = await one.store.restore({ hash, remove: [] }, one.signal)
  assert.match(problems.join('\n'), /b is in its way/)
  assert.equal(await readFile(one.path('b'), 'utf8'), 'now a file')
  await one.restore(hash)
  assert.deepEqual(Object.keys(await one.state()).sort(), ['b/.gitignore', 'b/c'])
})

test('where the newest checkpoints alone take too much room, fewer are kept', async () => {
  await using one = await checkpointFixture({}, { retention: { keepSeconds: 0, maxStoreBytes: 250_000 } })
  let needsTidying = false
  for (let index = 0; index < 4; index++) {
    await one.put('data', randomBytes(100_000))
    needsTidying = (await one.take(`number ${index}`)).needsTidying
  }
  assert.equal(needsTidying, true)
  await one.store.tidy(one.signal)
  const kept = (await one.list()).map(({ reason }) => reason)
  assert.ok(kept.length >= 1 && kept.length <= 2, kept.join())
  assert.equal(kept[0], 'number 3')
  assert.equal(one.git('fsck', '--full'), '')
})

test('where nobody ever had the time to tidy, taking one does', async () => {
  await using one = await checkpointFixture({}, { maxSnapshots: 1, retention: { keepSeconds: 0 } })
  for (let index = 0; index < 4; index++) {
    await one.put('data', String(index))
    await one.take()
  }
  assert.equal(one.git('rev-list', '--count', 'HEAD'), '1')
})

test('old checkpoints are dropped and their space is freed; those kept stay as they were', async () => {
  await using one = await checkpointFixture({}, { maxSnapshots: 2, retention: { keepSeconds: 0 } })
  const hashes: string[] = []
  let overfull = false
  for (let index = 0; index < 4; index++) {
    await one.put('data', `${index}`.repeat(100_000) + Math.random())
    const taken = await one.take(`number ${index}`)
    hashes.push(taken.hash ?? '')
    overfull = taken.needsTidying
  }
  assert.equal(overfull, true)
  assert.deepEqual(
    (await one.list()).map(({ reason }) => reason),
    ['number 3', 'number 2'],
  )
  const oldBlob = one.git('rev-parse', `${hashes[0]}:data`)
  await one.store.tidy(one.signal)
  assert.throws(() => one.git('cat-file', '-e', oldBlob), 'its content is gone')
  assert.deepEqual(
    (await one.list()).map(({ hash }) => hash),
    [hashes[3], hashes[2]],
  )
  assert.equal(one.git('fsck', '--full', '--strict'), '')
  await one.restore(hashes[2] ?? '')
  assert.match(await readFile(one.path('data'), 'utf8'), /^2{100000}/)
  await one.put('data', 'more')
  assert.ok((await one.take()).hash, 'and more can be taken')
})

test("upstream's store goes on: its checkpoints are listed and restored, and it reads ours", async () => {
  await using one = await checkpointFixture({ a: 'by upstream', 'lib/b': '1' })
  execFileSync('git', ['init', '--quiet', one.path('lib')])
  execFileSync('git', [
    '-C',
    one.path('lib'),
    '-c',
    'user.name=A',
    '-c',
    'user.email=a@b',
    'commit',
    '--allow-empty',
    '-qm',
    'x',
  ])
  await mkdir(one.dir, { recursive: true })
  const env = { PATH: process.env['PATH'], GIT_DIR: one.dir, GIT_WORK_TREE: one.folder }
  const upstream = (...args: string[]) =>
    execFileSync('git', args, { env, cwd: one.folder, encoding: 'utf8', stdio: 'pipe' })
  upstream('init')
  upstream('config', 'user.email', 'hermes@local')
  upstream('config', 'user.name', 'Hermes Checkpoint')
  await writeFile(join(one.dir, 'info/exclude'), 'node_modules/\n.git/\n')
  await writeFile(join(one.dir, 'HERMES_WORKDIR'), `${one.folder}\n`)
  upstream('add', '-A')
  upstream('commit', '-m', 'before write_file', '--allow-empty-message', '--no-gpg-sign')
  await chmod(one.path('a'), 0o600)
  await one.put('a', 'changed')
  await one.mark('ours')
  const [ours, theirs] = await one.list()
  assert.deepEqual([ours?.reason, theirs?.reason], ['ours', 'before write_file'])
  const plan = await one.store.planRestore({ hash: theirs?.hash ?? '' }, one.signal)
  assert.deepEqual(plan, { changed: ['a'], created: [] }, 'files of the repository inside are not new')
  await one.restore(theirs?.hash ?? '', 'a')
  assert.equal((await one.state())['a'], '600 by upstream', 'the mode stays as it is now')
  await one.put('a', 'upstream again')
  upstream('add', '-A')
  upstream('commit', '-m', 'theirs again', '--no-gpg-sign')
  assert.match(upstream('log', '--format=%s'), /^theirs again\n.*ours\nbefore write_file\n$/s)
  assert.equal((await one.list())[0]?.reason, 'theirs again')
})

test('without git there is a clear word', async () => {
  await using one = await checkpointFixture({ a: '1' })
  const store = await openGitStore({ folder: one.folder }, servicesAt(one.homeDir, { environment: { PATH: one.root } }))
  await assert.rejects(store.take('x', [], one.signal), { code: 'no-git', message: /git is needed/ })
})

test('a turn that is stopped stops git, and the next one finds all in order', async () => {
  await using one = await checkpointFixture({ a: '1' })
  const stop = new AbortController()
  const taking = one.store.take('x', [], stop.signal)
  setImmediate(() => stop.abort(new Error('stopped')))
  await assert.rejects(taking, /stopped/)
  assert.ok((await one.take()).hash)
})

test('a Hermes home inside the folder is no part of it', async () => {
  await using one = await checkpointFixture({ a: '1', 'my [home]/state.db': 'x' })
  const store = await openGitStore({ folder: one.folder }, servicesAt(one.path('my [home]')))
  const { hash = '' } = await store.take('x', [], one.signal)
  const plan = await store.planRestore({ hash }, one.signal)
  assert.deepEqual(plan, { changed: [], created: [] })
  await rm(one.path('a'))
  await rm(one.path('my [home]/state.db'))
  assert.deepEqual((await store.planRestore({ hash }, one.signal)).changed, ['a'])
})
