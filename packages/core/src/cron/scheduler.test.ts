import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { CronDelivery } from './delivery.ts'
import { openJobs } from './job-store.ts'
import { openRunStore } from './run-store.ts'
import type { FinishedRun } from './runner.ts'
import { createScheduler } from './scheduler.ts'
import { manualClock } from './test-cron.ts'

type Options = Parameters<typeof startScriptedAgent>[0]

/** A scheduler over a clock that is moved by hand: each sleep is told, and ends when the test says so. */
async function open(options: Options = {}, maxConcurrent = 3) {
  const agent = await startScriptedAgent(options)
  const clock = manualClock('2026-06-01T10:00:00Z')
  const jobs = openJobs({ home: agent.context.home, clock })
  const finished: FinishedRun[] = []
  const waiting: { readonly ms: number; readonly wake: () => void }[] = []
  let told = Promise.withResolvers<void>()
  const tell = () => {
    told.resolve()
    told = Promise.withResolvers()
  }
  const scheduler = createScheduler({
    agent: agent.context,
    clock,
    maxConcurrent,
    onRun: (run) => {
      finished.push(run)
      tell()
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const fail = () => reject(signal.reason)
        if (signal.aborted) return fail()
        signal.addEventListener('abort', fail, { once: true })
        waiting.push({ ms, wake: resolve })
        tell()
      }),
  })
  return {
    agent,
    clock,
    jobs,
    scheduler,
    finished,
    /** Waits until something is so; looks again whenever a sleep begins or a run ends. */
    async until(holds: () => boolean) {
      while (!holds()) await told.promise
    },
    lastSleep: () => waiting.at(-1)?.ms,
    /** Moves the clock and ends the sleep. */
    wakeAt(time: string) {
      clock.set(time)
      waiting.at(-1)?.wake()
    },
    async [Symbol.asyncDispose]() {
      await scheduler.stop({ drainMs: 0 })
      await agent[Symbol.asyncDispose]()
    },
  }
}

test('it sleeps until the next time, sees jobs that are made meanwhile, and runs them when they are due', async () => {
  await using t = await open()
  await t.scheduler.start()
  await t.until(() => t.lastSleep() === 60_000)
  await t.jobs.create({ schedule: '2026-06-01T10:00:20Z', prompt: 'Say hello', name: 'soon' })
  await t.until(() => t.lastSleep() === 20_000)
  t.wakeAt('2026-06-01T10:00:20Z')
  await t.until(() => t.finished.length === 1)
  assert.deepEqual([t.finished[0]?.jobName, t.finished[0]?.state], ['soon', 'ok'])
  await t.until(() => t.lastSleep() === 60_000)
  assert.deepEqual((await t.jobs.list()).jobs, [])
  const runs = await openRunStore(t.agent.context.home)
  assert.deepEqual(
    (await runs.schedulers()).map(({ pid }) => pid),
    [process.pid],
  )
  await t.scheduler.stop()
  assert.deepEqual(await runs.schedulers(), [])
  runs[Symbol.dispose]()
})

test('a clock that jumps ahead is noticed at the next look, and a broken file is looked at again', async () => {
  await using t = await open()
  await t.jobs.create({ schedule: 'every 10m', prompt: 'x', name: 'often', missed: { run: 'all' } })
  await t.scheduler.start()
  await t.until(() => t.lastSleep() === 60_000)
  t.wakeAt('2026-06-01T10:31:00Z')
  await t.until(() => t.finished.length === 3)
  const path = t.agent.home.path('cron', 'jobs.json')
  await writeFile(path, '{"jobs": [')
  await t.until(() => t.lastSleep() === 60_000)
  await writeFile(
    path,
    JSON.stringify({
      jobs: [{ id: 'a', name: 'again', prompt: 'x', schedule: 'every 5m', next_run_at: '2026-06-01T10:30:30Z' }],
    }),
  )
  await t.until(() => t.finished.length === 4)
  assert.equal(t.finished.at(-1)?.jobName, 'again')
})

test('no more jobs run side by side than are allowed, and one that is running is not begun again', async () => {
  const gates: (() => void)[] = []
  let [now, most] = [0, 0]
  await using t = await open(
    {
      script: async () => {
        most = Math.max(most, ++now)
        await new Promise<void>((resolve) => gates.push(resolve))
        now--
        return { text: 'done' }
      },
    },
    2,
  )
  for (let i = 0; i < 5; i++) await t.jobs.create({ schedule: '2026-06-01T10:00:30Z', prompt: 'x', name: `job ${i}` })
  t.clock.set('2026-06-01T10:00:31Z')
  await t.scheduler.start()
  // A job ends when as many run as may, or as are left.
  const open_ = setInterval(() => {
    if (gates.length >= Math.min(2, 5 - t.finished.length)) gates.shift()?.()
  }, 20)
  await t.until(() => t.finished.length === 5)
  clearInterval(open_)
  assert.equal(most, 2)
  assert.equal(new Set(t.finished.map(({ jobName }) => jobName)).size, 5)
})

test('stopping waits for what runs, and stops what takes too long', async () => {
  let begun = Promise.withResolvers<void>()
  let gate = Promise.withResolvers<void>()
  await using t = await open({
    script: async () => {
      begun.resolve()
      await gate.promise
      return { text: 'done' }
    },
  })
  await t.jobs.create({ schedule: '2026-06-01T10:00:30Z', prompt: 'x', name: 'slow' })
  t.clock.set('2026-06-01T10:00:31Z')
  await t.scheduler.start()
  await begun.promise
  const stopped = t.scheduler.stop()
  assert.equal(t.scheduler.running, 1)
  gate.resolve()
  await stopped
  assert.deepEqual(
    t.finished.map(({ state }) => state),
    ['ok'],
  )

  begun = Promise.withResolvers()
  gate = Promise.withResolvers()
  const { id } = await t.jobs.create({ schedule: 'every 1m', prompt: 'x', name: 'endless' })
  t.clock.set('2026-06-01T10:02:00Z')
  const other = createScheduler({ agent: t.agent.context, clock: t.clock })
  await other.start()
  await begun.promise
  await other.stop({ drainMs: 10 })
  gate.resolve()
  const job = (await t.jobs.list()).jobs.find((one) => one.id === id)
  assert.deepEqual([job?.last_status, job?.enabled], ['error', true])
  assert.match(job?.last_error ?? '', /was stopped before it ended/)
})

test('what a killed process had taken is told at the start, while the job waits for its next time', async () => {
  await using t = await open()
  const { id } = await t.jobs.create({ schedule: 'every 1h', prompt: 'x', name: 'report', deliver: 'telegram:5' })
  const runs = await openRunStore(t.agent.context.home)
  await runs.claim({ jobId: id, jobName: 'report', scheduledAt: 1_000, zone: 'UTC' }, 1_000)
  runs[Symbol.dispose]()
  // As if another process had taken it, which is gone.
  const db = new DatabaseSync(t.agent.home.path('cron', 'runs.db'))
  db.exec("UPDATE cron_runs SET ticks = '1', owner = 'another'")
  db.close()
  const told = Promise.withResolvers<string>()
  const delivery: CronDelivery = {
    async deliver({ key, text }) {
      told.resolve(`${key} ${text}`)
      return 'sent'
    },
  }
  const scheduler = createScheduler({ agent: t.agent.context, clock: t.clock, delivery })
  await scheduler.start()
  assert.match(await told.promise, new RegExp(`^${id}:1000 [^]*was killed`))
  await scheduler.stop()
  assert.equal((await t.jobs.list()).jobs[0]?.next_run_at, '2026-06-01T11:00:00+00:00')
})
