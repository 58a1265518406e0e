import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Environment } from '../agent/context.ts'
import { FifoPool } from './fifo-pool.ts'
import { localBackend } from './local.ts'
import { LocalTerminal } from './local-terminal.ts'
import { openTerminal } from './registry.ts'
import { createShellScripts } from './shell-script.ts'
import type { RunOptions, Terminal } from './terminal.ts'

const options: RunOptions = { timeoutMs: 60_000, maxOutputChars: 100_000, signal: new AbortController().signal }

async function inFolder(fn: (dir: string) => Promise<void>): Promise<void> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'terminal-test-')))
  try {
    await fn(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function openLocal(cwd: string, environment: Environment = process.env): Promise<Terminal> {
  return localBackend.open({ cwd, environment, passthrough: [] })
}

test('where there is no bash, sh keeps directory and variables', () =>
  inFolder(async (dir) => {
    const shell = { path: '/bin/sh', isBash: false }
    const parts = { shell, scripts: createShellScripts(shell), pipes: await FifoPool.open(), cwd: dir }
    await using terminal = new LocalTerminal({ ...parts, variables: { PATH: '/usr/bin:/bin' } })
    const first = await terminal.run(`mkdir sub; cd sub; export A="it's"; exit 4`, options)
    assert.deepEqual([first.output, first.exitCode], ['', 4])
    assert.equal((await terminal.run('echo "$A"; pwd', options)).output, `it's\n${dir}/sub\n`)
  }))

test('started by a service manager, it has what the login files of the person give', () =>
  inFolder(async (dir) => {
    const profile = [
      'echo noise; echo noise >&2',
      'export FROM_PROFILE=yes OPENAI_API_KEY=secret',
      'greet() { echo "hello $1"; }',
      "alias shout='echo LOUD'",
    ]
    await writeFile(join(dir, '.bash_profile'), profile.join('\n'))
    await using terminal = await openLocal(dir, { PATH: process.env['PATH'], HOME: dir })
    const first = await terminal.run('echo "$FROM_PROFILE ${OPENAI_API_KEY-none}"\ngreet you\nshout it', options)
    assert.equal(first.output, 'yes none\nhello you\nLOUD it\n')
    assert.equal((await terminal.run('greet again', options)).output, 'hello again\n')
  }))

for (const [what, profile] of [
  ['end', 'exit 3'],
  ['replace', 'exec true'],
] as const) {
  test(`login files that ${what} the shell are done without`, () =>
    inFolder(async (dir) => {
      await writeFile(join(dir, '.bash_profile'), profile)
      await using terminal = await openLocal(dir, { PATH: process.env['PATH'], HOME: dir })
      assert.equal((await terminal.run('echo works', options)).output, 'works\n')
    }))
}

test('started below a shell, the login files are not read', () =>
  inFolder(async (dir) => {
    await writeFile(join(dir, '.bash_profile'), 'export FROM_PROFILE=yes')
    await using terminal = await openLocal(dir, { PATH: process.env['PATH'], HOME: dir, SHLVL: '2' })
    assert.equal((await terminal.run('echo "${FROM_PROFILE-no} $SHLVL"', options)).output, 'no 3\n')
    assert.equal((await terminal.run('echo $SHLVL', options)).output, '3\n')
  }))

test('a background command gets a pseudo-terminal when it asks for one', () =>
  inFolder(async (dir) => {
    await using terminal = await openLocal(dir)
    let seen = ''
    const process = await terminal.spawn(
      `test -t 0 && test -t 1 && stty size; read line; printf '\\033[31m%s\\033[0m' "数据 $line"`,
      {
        pty: true,
        onOutput: (text) => (seen += text),
        onExit: () => undefined,
      },
    )
    assert.equal(process.pty, true)
    process.write('typed\n')
    assert.equal(await process.exited, 0)
    assert.match(seen, /^30 120$/m)
    assert.match(seen, /数据 typed$/)
  }))

test('no files are left behind when a terminal is closed', () =>
  inFolder(async (dir) => {
    const before = await temporaryFolders()
    const terminal = await openLocal(dir)
    await terminal.run('sleep 60 &', options)
    await terminal.run('cat', { ...options, stdin: 'x' })
    await terminal[Symbol.asyncDispose]()
    await terminal[Symbol.asyncDispose]()
    assert.deepEqual(
      (await temporaryFolders()).filter((name) => !before.includes(name) && name.includes(String(process.pid))),
      [],
    )
  }))

async function temporaryFolders(): Promise<string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('hermes-terminal-'))
}

test('closing a terminal ends the command that runs, with the reason', () =>
  inFolder(async (dir) => {
    const terminal = await openLocal(dir)
    const running = terminal.run('sleep 60', options)
    const waiting = terminal.run('echo', options)
    const ends = Promise.allSettled([running, waiting])
    await terminal[Symbol.asyncDispose]()
    for (const end of await ends) assert.equal(end.status === 'rejected' && end.reason.code, 'closed')
  }))

test('a folder name may hold a new line', () =>
  inFolder(async (dir) => {
    await mkdir(join(dir, 'a\nb'))
    await using terminal = await openLocal(dir)
    await terminal.run(`cd a*; export X=1`, options)
    assert.equal(terminal.cwd, join(dir, 'a\nb'))
    assert.equal((await terminal.run('echo $X', options)).output, '1\n')
  }))

test('a backend that does not exist is refused with the names of those that do', async () => {
  const opening = openTerminal('docker', { cwd: '/', environment: {}, passthrough: [] })
  await assert.rejects(opening, { code: 'not-implemented', message: /docker.*available: local/ })
})
