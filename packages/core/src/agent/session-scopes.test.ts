import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readdir, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { configSchema } from '../config/schema.ts'
import { silentLogger } from '../log/logger.ts'
import { createRedactor } from '../security/redact.ts'
import { isRunning } from '../terminals/process-identity.ts'
import type { RunOptions } from '../terminals/terminal.ts'
import { systemClock } from './clock.ts'
import type { SessionScopes } from './session-scope.ts'
import { createSessionScopes, type SessionScopesOptions } from './session-scopes.ts'

const options: RunOptions = { timeoutMs: 60_000, maxOutputChars: 1000, signal: new AbortController().signal }

async function withScopes(
  fn: (scopes: SessionScopes, dir: string) => Promise<void>,
  changes: Partial<SessionScopesOptions> & { readonly settings?: object } = {},
): Promise<void> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'scopes-test-')))
  try {
    await using scopes = createSessionScopes({
      home: { dir, path: (...parts) => join(dir, ...parts) },
      config: configSchema.parse(changes.settings ?? {}),
      environment: { PATH: process.env['PATH'], HOME: dir, SHLVL: '1' },
      log: silentLogger,
      clock: systemClock('UTC'),
      redactor: createRedactor({ enabled: true }),
      cwd: dir,
      ...changes,
    })
    await fn(scopes, dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

test('a session keeps its terminal, its list and its approvals; another has its own', () =>
  withScopes(async (scopes, dir) => {
    const scope = scopes.get('a')
    assert.equal(scope.cwd(), dir)
    const terminal = await scope.terminal()
    await terminal.run('mkdir sub && cd sub; export A=1', options)
    scope.todos = [{ id: '1', content: 'x', status: 'pending' }]
    scope.approved.add('recursive delete')
    assert.equal(scopes.get('a'), scope)
    assert.equal(scopes.get('a').cwd(), join(dir, 'sub'))
    assert.equal(await scopes.get('a').terminal(), terminal)
    const other = scopes.get('b')
    assert.equal(other.cwd(), dir)
    assert.deepEqual([other.todos, other.approved.size, other.yolo], [[], 0, false])
    assert.equal((await (await other.terminal()).run('echo ${A-unset}', options)).output, 'unset\n')
  }))

test('a conversation that goes on as another session takes its scope with it', () =>
  withScopes(async (scopes, dir) => {
    const scope = scopes.get('a')
    const terminal = await scope.terminal()
    await terminal.run('mkdir sub && cd sub', options)
    scope.todos = [{ id: '1', content: 'x', status: 'pending' }]
    scope.eventSeq = 7
    const defaults = { pty: false, notifyOnComplete: false, watchPatterns: [] }
    const { info } = await scope.processes.start({ command: 'sleep 60', ...defaults })
    const moved = await scopes.move('a', 'b')
    assert.equal(moved, scope)
    assert.equal(scopes.get('b'), scope)
    assert.deepEqual([moved.sessionId, moved.cwd(), moved.eventSeq], ['b', join(dir, 'sub'), 7])
    assert.equal((await moved.processes.find(info.id))?.info.status, 'running')
    const records: unknown = JSON.parse(await readFile(join(dir, 'processes.json'), 'utf8'))
    assert.deepEqual(
      (records as { task_id: string }[]).map(({ task_id }) => task_id),
      ['b'],
    )
    assert.notEqual(scopes.get('a'), scope)
    assert.deepEqual(scopes.get('a').todos, [])
  }))

test('what was allowed for good holds in every session', () => {
  const stored: string[] = []
  return withScopes(
    async (scopes) => {
      assert.ok(scopes.get('a').allowlist.has('fork bomb'))
      await scopes.get('a').allowlist.add(['recursive delete'])
      assert.ok(scopes.get('b').allowlist.has('recursive delete'))
      assert.deepEqual(stored, ['recursive delete'])
    },
    { settings: { command_allowlist: ['fork bomb'] }, persistApproval: async (key) => void stored.push(key) },
  )
})

test('sessions begin where terminal.cwd says', () =>
  withScopes(
    async (scopes, dir) => {
      await mkdir(join(dir, 'projects'))
      assert.equal(scopes.get('a').cwd(), join(dir, 'projects'))
      assert.equal((await (await scopes.get('a').terminal()).run('pwd', options)).output, `${join(dir, 'projects')}\n`)
    },
    { settings: { terminal: { cwd: '~/projects' } } },
  ))

test('the longest unused scopes are closed, those in use are not', () =>
  withScopes(
    async (scopes) => {
      const oldest = scopes.get('oldest')
      const terminal = await oldest.terminal()
      const inTurn = scopes.get('in-turn')
      inTurn.turnRunning = true
      const background = scopes.get('background')
      await background.processes.start({ command: 'sleep 60', pty: false, notifyOnComplete: false, watchPatterns: [] })
      const kept = scopes.get('kept')
      for (const id of ['a', 'b']) {
        scopes.get(id)
        scopes.get('kept')
      }
      assert.equal(scopes.get('in-turn'), inTurn)
      assert.equal(scopes.get('background'), background)
      assert.equal(scopes.get('kept'), kept)
      assert.notEqual(scopes.get('oldest'), oldest)
      await scopes[Symbol.asyncDispose]()
      await assert.rejects(terminal.run('echo', options), { code: 'closed' })
    },
    { maxIdle: 3 },
  ))

test('closing a scope ends its terminal and its background processes', () =>
  withScopes(async (scopes) => {
    const scope = scopes.get('a')
    const terminal = await scope.terminal()
    const started = await scope.processes.start({
      command: 'sleep 60',
      pty: false,
      notifyOnComplete: false,
      watchPatterns: [],
    })
    await scopes.close('a')
    await scopes.close('never-opened')
    assert.equal(started.info.exitCode, -15)
    await assert.rejects(terminal.run('echo', options), { code: 'closed' })
    assert.notEqual(scopes.get('a'), scope)
  }))

test('a profile with a home of its own for commands gives them that', () =>
  withScopes(
    async (scopes, dir) => {
      await mkdir(join(dir, 'home'))
      assert.equal(
        (await (await scopes.get('a').terminal()).run('echo $HOME', options)).output,
        `${join(dir, 'home')}\n`,
      )
    },
    { environment: { PATH: process.env['PATH'], HOME: '/nowhere', HERMES_HOME: '/somewhere', SHLVL: '1' } },
  ))

test('a backend that is not there is told at the first use, and again at the next', () =>
  withScopes(
    async (scopes) => {
      const scope = scopes.get('a')
      await assert.rejects(scope.terminal(), { code: 'not-implemented' })
      await assert.rejects(scope.terminal(), { code: 'not-implemented' })
    },
    { settings: { terminal: { backend: 'docker' } } },
  ))

test('a process that ends without closing its scopes leaves no command behind', () =>
  withScopes(async (_, dir) => {
    const script = `
      import { createSessionScopes } from ${JSON.stringify(import.meta.resolve('./session-scopes.ts'))}
      import { configSchema } from ${JSON.stringify(import.meta.resolve('../config/schema.ts'))}
      const home = { dir: ${JSON.stringify(dir)}, path: (...parts) => [${JSON.stringify(dir)}, ...parts].join('/') }
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      const scopes = createSessionScopes({ home, config: configSchema.parse({}), environment: process.env, log, cwd: home.dir,
        clock: { now: Date.now, timeZone: 'UTC' }, redactor: { redact: (text) => text, addKnown() {} } })
      const scope = scopes.get('a')
      const started = await scope.processes.start({ command: 'sleep 71', pty: false, notifyOnComplete: false, watchPatterns: [] })
      const terminal = await scope.terminal()
      terminal.run('echo $$; sleep 72', { timeoutMs: 60000, maxOutputChars: 100, signal: new AbortController().signal,
        onOutput(text) { console.log(started.info.pid, text.trim()); process.exit(0) } })`
    const arguments_ = ['--conditions=development', '--input-type=module', '-e', script]
    const env = { ...process.env, TMPDIR: dir }
    const { stdout } = await promisify(execFile)(process.execPath, arguments_, { env })
    const pids = stdout.trim().split(' ').map(Number)
    assert.equal(pids.length, 2)
    assert.deepEqual(
      (await readdir(dir)).filter((name) => name.startsWith('hermes-terminal-')),
      [],
    )
    for (const pid of pids) {
      const deadline = performance.now() + 3000
      while (isRunning(pid)) {
        assert.ok(performance.now() < deadline, `process ${pid} is still there`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
  }))
