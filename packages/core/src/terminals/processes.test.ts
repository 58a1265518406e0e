import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { silentLogger } from '../log/logger.ts'
import type { Redactor } from '../security/redact.ts'
import { localBackend } from './local.ts'
import { startTicks } from './process-identity.ts'
import { describeNotification } from './process-notification.ts'
import { createProcessRecords } from './process-records.ts'
import { createProcessRegistry, type ProcessRegistry, type StartProcess } from './processes.ts'

const redactor: Redactor = {
  redact: (text) => text.replaceAll('hunter2', '***'),
  addKnown() {},
  reveal: (text) => ({ text, revealed: [], unknown: [] }),
}
const never = new AbortController().signal

interface World {
  readonly registry: ProcessRegistry
  readonly recordsPath: string
  readonly start: (command: string, changes?: Partial<StartProcess>) => ReturnType<ProcessRegistry['start']>
  /** Moves the clock on. */
  readonly pass: (ms: number) => void
}

async function inWorld(
  fn: (world: World) => Promise<void>,
  prepare?: (recordsPath: string) => Promise<void>,
): Promise<void> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'processes-test-')))
  const recordsPath = join(dir, 'processes.json')
  let now = 1_800_000_000_000
  try {
    await prepare?.(recordsPath)
    await using terminal = await localBackend.open({ cwd: dir, environment: process.env, passthrough: [] })
    await using registry = createProcessRegistry({
      sessionId: 'session-1',
      terminal: async () => terminal,
      clock: { now: () => now, timeZone: 'UTC' },
      redactor,
      records: createProcessRecords(recordsPath, { redactor, log: silentLogger }),
    })
    const defaults = { pty: false, notifyOnComplete: false, watchPatterns: [] }
    await fn({
      registry,
      recordsPath,
      start: (command, changes) => registry.start({ command, ...defaults, ...changes }),
      pass: (ms) => (now += ms),
    })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

test('a background command is followed from start to end', () =>
  inWorld(async ({ registry, start, pass }) => {
    const started = await start('read line; echo "got $line"; exit 3')
    assert.match(started.info.id, /^proc_[0-9a-f]{12}$/)
    assert.equal(started.info.status, 'running')
    assert.equal(registry.running, 1)
    pass(1000)
    started.write('it\n')
    assert.equal(await started.wait(60_000, never), true)
    const { status, exitCode, startedAt, endedAt } = started.info
    assert.deepEqual([status, exitCode, startedAt, endedAt], ['exited', 3, 1_800_000_000_000, 1_800_000_001_000])
    assert.equal(started.output(), 'got it\n')
    assert.equal(registry.running, 0)
    assert.equal(await registry.find(started.info.id), started)
    assert.equal(await registry.find('proc_000000000000'), undefined)
  }))

test('waiting ends at its time limit, and with the signal', () =>
  inWorld(async ({ start }) => {
    const started = await start('sleep 60')
    assert.equal(await started.wait(20, never), false)
    const abort = new AbortController()
    const waiting = started.wait(60_000, abort.signal)
    abort.abort(new Error('stop'))
    await assert.rejects(waiting, { message: 'stop' })
    assert.equal(started.info.status, 'running')
  }))

test('a killed command has ended by a signal', () =>
  inWorld(async ({ start }) => {
    const started = await start('sleep 60')
    assert.equal(await started.kill(), true)
    assert.equal(started.info.exitCode, -15)
    assert.equal(await started.kill(), false)
  }))

test('the end of the output is kept, the rest forgotten', () =>
  inWorld(async ({ start }) => {
    const started = await start('head -c 3000000 /dev/zero | tr "\\0" a; echo the end')
    await started.wait(60_000, never)
    assert.equal(started.output().length, 200_000)
    assert.ok(started.output().endsWith('the end\n'))
  }))

test('an end is told once, without secrets, unless the agent has seen it', () =>
  inWorld(async ({ registry, start }) => {
    const happened = Promise.withResolvers<void>()
    const stop = registry.onNotification(happened.resolve)
    const told = await start('echo hunter2; exit 2', { notifyOnComplete: true })
    await happened.promise
    stop()
    const [notification] = registry.takeNotifications()
    assert.deepEqual(notification, {
      type: 'completion',
      processId: told.info.id,
      command: 'echo ***; exit 2',
      exitCode: 2,
      output: '***\n',
    })
    assert.match(describeNotification(notification), /ended with exit code 2.*\n\*\*\*/)
    assert.deepEqual(registry.takeNotifications(), [])

    const seen = await start('true', { notifyOnComplete: true })
    await seen.wait(60_000, never)
    seen.markSeen()
    const killed = await start('sleep 60', { notifyOnComplete: true })
    await killed.kill()
    const quiet = await start('true')
    await quiet.wait(60_000, never)
    assert.deepEqual(registry.takeNotifications(), [])
  }))

test('lines that match a pattern are told, also one that is not ended yet', () =>
  inWorld(async ({ registry, start }) => {
    const happened = Promise.withResolvers<void>()
    registry.onNotification(happened.resolve)
    const started = await start('echo nothing; printf "Server ready> "; read line', {
      watchPatterns: ['ERROR', 'ready'],
    })
    await happened.promise
    const [notification] = registry.takeNotifications()
    assert.equal(notification?.type === 'watch-match' && notification.output, 'Server ready> ')
    assert.equal(notification?.type === 'watch-match' && notification.pattern, 'ready')
    await started.kill()
  }))

test('finished commands are forgotten after half an hour', () =>
  inWorld(async ({ registry, start, pass }) => {
    const finished = await start('true')
    const running = await start('sleep 60')
    await finished.wait(60_000, never)
    pass(29 * 60_000)
    assert.equal((await registry.list()).length, 2)
    pass(2 * 60_000)
    assert.deepEqual(await registry.list(), [running])
  }))

test('at most 64 are kept track of: the oldest finished goes first, a running one never', () =>
  inWorld(async ({ registry, start }) => {
    const running = await start('sleep 60')
    const finished = await start('true')
    await finished.wait(60_000, never)
    for (let n = 0; n < 63; n++) await start('sleep 60')
    const kept = await registry.list()
    assert.equal(kept.length, 64)
    assert.ok(kept.includes(running) && !kept.includes(finished))
    await assert.rejects(start('sleep 60'), { code: 'too-many' })
  }))

test('running commands are noted for the next run, without secrets', () =>
  inWorld(async ({ registry, recordsPath, start }) => {
    const started = await start('sleep 60 # hunter2', { notifyOnComplete: true, watchPatterns: ['x'] })
    const [record] = JSON.parse(await readFile(recordsPath, 'utf8'))
    assert.equal(record.session_id, started.info.id)
    assert.equal(record.command, 'sleep 60 # ***')
    assert.deepEqual([record.pid, record.pid_scope, record.task_id], [started.info.pid, 'host', 'session-1'])
    assert.deepEqual(
      [record.started_at, record.notify_on_complete, record.watch_patterns],
      [1_800_000_000, true, ['x']],
    )
    assert.equal((await stat(recordsPath)).mode & 0o777, 0o600)
    await registry[Symbol.asyncDispose]()
    assert.deepEqual(JSON.parse(await readFile(recordsPath, 'utf8')), [])
  }))

test('what a crashed run left running is found, and can be killed; the rest is not touched', async () => {
  const left = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  const reused = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  const others = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  const ended = new Promise((resolve) => left.once('exit', (_, signal) => resolve(signal)))
  const record = (id: string, pid: number | undefined, more = {}) => ({
    session_id: id,
    command: 'sleep 60',
    pid,
    pid_scope: 'host',
    cwd: '/',
    started_at: 1,
    task_id: 'session-1',
    ...more,
  })
  try {
    await inWorld(
      async ({ registry, recordsPath, start }) => {
        const [found, ...rest] = await registry.list()
        assert.deepEqual(rest, [])
        assert.equal(found?.info.id, 'proc_left')
        assert.deepEqual([found.info.status, found.info.detached], ['running', true])
        assert.equal(await found.wait(10, never), false)
        assert.throws(() => found.write('x'), { code: 'closed' })
        await start('sleep 60')
        const noted = JSON.parse(await readFile(recordsPath, 'utf8')).map(
          (entry: { session_id: string }) => entry.session_id,
        )
        assert.deepEqual(noted.slice(0, 2), ['proc_left', 'proc_others'])
        assert.equal(noted.length, 3)
        assert.equal(await found.kill(), true)
        assert.equal(await ended, 'SIGTERM')
        assert.equal(found.info.status, 'exited')
        assert.equal(await found.kill(), false)
      },
      (path) =>
        writeFile(
          path,
          JSON.stringify([
            record('proc_left', left.pid, { pid_started: startTicks(left.pid ?? 0) }),
            record('proc_reused', reused.pid, { pid_started: '1' }),
            record('proc_others', others.pid, { task_id: 'session-2' }),
            record('proc_gone', 2 ** 22 + 1),
            'nonsense',
          ]),
        ),
    )
    assert.equal(reused.exitCode ?? reused.signalCode, null)
    assert.equal(others.exitCode ?? others.signalCode, null)
  } finally {
    for (const child of [left, reused, others]) child.kill('SIGKILL')
  }
})

test('a broken record file is replaced', () =>
  inWorld(
    async ({ registry, recordsPath, start }) => {
      assert.deepEqual(await registry.list(), [])
      await start('sleep 60')
      assert.equal(JSON.parse(await readFile(recordsPath, 'utf8')).length, 1)
    },
    (path) => writeFile(path, '[{"session_id": "proc_'),
  ))
