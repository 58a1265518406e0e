import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryHome } from '@hermes/testing'
import type { MissedPolicy } from './job.ts'
import { manualClock, testCron } from './test-cron.ts'

const program = fileURLToPath(new URL('claim.fixture.ts', import.meta.url))

async function open(start = '2026-06-01T10:00:00Z', zone = 'UTC') {
  const made = await temporaryHome()
  const clock = manualClock(start, zone)
  const cron = await testCron(made.dir, clock)
  return {
    ...cron,
    clock,
    async make(schedule: string, missed?: MissedPolicy, more: { readonly repeat?: number } = {}) {
      return cron.jobs.create({ schedule, prompt: 'x', name: schedule, missed, ...more })
    },
    async job() {
      return (await cron.jobs.list()).jobs[0]
    },
    /** `state@time` of the rows, oldest first. */
    async rows() {
      const rows = await cron.runs.list({ limit: 100 })
      return rows
        .map(({ state, scheduledAt }) => `${state}@${cron.place.zone.iso(scheduledAt).slice(11, 16)}`)
        .toReversed()
    },
    async [Symbol.asyncDispose]() {
      cron[Symbol.dispose]()
      await made[Symbol.asyncDispose]()
    },
  }
}

test('a job runs once when its time comes, and goes on to the next before it runs', async () => {
  await using t = await open()
  await t.make('every 30m')
  t.clock.set('2026-06-01T10:29:59Z')
  assert.deepEqual(await t.go(), { ran: [], wakeAt: Date.parse('2026-06-01T10:30:00Z') })
  t.clock.set('2026-06-01T10:30:00Z')
  const { claims } = await t.claim()
  assert.equal(claims.length, 1)
  assert.equal((await t.job())?.next_run_at, '2026-06-01T11:00:00+00:00')
  assert.deepEqual((await t.claim()).claims, [], 'what is taken is not taken again')
})

const policies: readonly (readonly [name: string, policy: MissedPolicy | undefined, rows: readonly string[]])[] = [
  [
    'without a policy nothing is run later than the grace',
    undefined,
    ['missed', 'missed', 'missed', 'missed', 'missed'],
  ],
  ['skip', { run: 'skip' }, ['missed', 'missed', 'missed', 'missed', 'missed']],
  ['once', { run: 'once' }, ['missed', 'missed', 'missed', 'missed', 'ok']],
  ['once within an age', { run: 'once', max_age_minutes: 10 }, ['missed', 'missed', 'missed', 'missed', 'missed']],
  ['all', { run: 'all' }, ['ok', 'ok', 'ok', 'ok', 'ok']],
  ['all within an age', { run: 'all', max_age_minutes: 90 }, ['missed', 'missed', 'missed', 'ok', 'ok']],
]
for (const [name, policy, states] of policies) {
  test(`of five hourly runs missed while nothing ran, “${name}” makes ${states.join(', ')}`, async () => {
    await using t = await open()
    await t.make('0 * * * *', policy)
    t.clock.set('2026-06-01T15:20:00Z')
    await t.go()
    assert.deepEqual(
      await t.rows(),
      states.map((state, i) => `${state}@${11 + i}:00`),
    )
    assert.equal((await t.job())?.next_run_at, '2026-06-01T16:00:00+00:00')
    assert.deepEqual((await t.go()).ran, [])
  })
}

test('a run that is a little late is made up for; a single time however late', async () => {
  await using t = await open()
  await t.make('0 * * * *')
  await t.make('30m')
  t.clock.set('2026-06-01T11:29:00Z')
  assert.deepEqual((await t.go()).ran, ['0 * * * *@2026-06-01T11:00:00+00:00', '30m@2026-06-01T10:30:00+00:00'])
  await t.make('30m')
  t.clock.set('2026-06-04T00:00:00Z')
  assert.deepEqual((await t.go()).ran, ['30m@2026-06-01T11:59:00+00:00'])
})

test('a job is gone after its last repetition, its history is not', async () => {
  await using t = await open()
  const { id } = await t.make('every 10m', { run: 'all' }, { repeat: 3 })
  t.clock.set('2026-06-01T10:20:00Z')
  assert.equal((await t.go()).ran.length, 2)
  assert.equal((await t.job())?.repeat.completed, 2)
  t.clock.set('2026-06-01T11:30:00Z')
  assert.equal((await t.go()).ran.length, 1)
  assert.equal(await t.job(), undefined)
  assert.equal((await t.runs.list({ jobId: id })).filter(({ state }) => state === 'ok').length, 3)
})

test('a clock that is set back two hours runs nothing twice', async () => {
  await using t = await open()
  await t.make('0 * * * *')
  const ran: string[] = []
  for (const time of ['11:00', '12:00', '10:00', '10:30', '11:00', '12:00', '13:00', '14:00']) {
    t.clock.set(`2026-06-01T${time}:00Z`)
    ran.push(...(await t.go()).ran.map((one) => one.slice(-14, -9)))
  }
  assert.deepEqual(ran, ['11:00', '12:00', '13:00', '14:00'])
})

test('a job follows the zone when that is changed', async () => {
  await using t = await open('2026-06-01T03:00:00Z', 'Europe/Berlin')
  await t.make('0 9 * * *')
  assert.equal((await t.go()).wakeAt, Date.parse('2026-06-01T07:00:00Z'))
  t.clock.moveToZone('America/New_York')
  using moved = await testCron(t.home.dir, manualClock('2026-06-01T03:00:00Z', 'America/New_York'))
  assert.equal((await moved.go()).wakeAt, Date.parse('2026-06-01T13:00:00Z'))
})

test('no more jobs are taken than can be run', async () => {
  await using t = await open()
  for (let i = 0; i < 5; i++) await t.make('every 10m')
  t.clock.set('2026-06-01T10:10:00Z')
  assert.equal((await t.claim(2)).claims.length, 2)
  assert.equal((await t.claim(2)).claims.length, 2)
  assert.equal((await t.claim(2)).claims.length, 1)
})

test('a single time whose moment was lost is found again while it is fresh, and is over later', async () => {
  await using t = await open()
  await t.make('10m')
  const lose = async () => {
    const { changeJobs } = await import('./jobs-file.ts')
    await changeJobs(t.place, (jobs) => ({
      jobs: jobs.map((job) => ({ ...job, next_run_at: null })),
      result: undefined,
    }))
  }
  await lose()
  t.clock.set('2026-06-01T10:11:00Z')
  assert.equal((await t.go()).ran.length, 1)
  await t.make('10m')
  await lose()
  t.clock.set('2026-06-01T12:00:00Z')
  assert.deepEqual((await t.go()).ran, [])
  assert.deepEqual([(await t.job())?.state, (await t.job())?.enabled], ['completed', false])
})

const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'America/Santiago', 'Pacific/Auckland']
/** Noon UTC of the day before each change of the clocks in 2026. */
const changes: Readonly<Record<string, readonly string[]>> = {
  'Europe/Berlin': ['2026-03-28', '2026-10-24'],
  'America/New_York': ['2026-03-07', '2026-10-31'],
  'Australia/Lord_Howe': ['2026-04-03', '2026-10-02'],
  'America/Santiago': ['2026-04-03', '2026-09-04'],
  'Pacific/Auckland': ['2026-04-03', '2026-09-25'],
}
for (const name of zones) {
  test(`through both clock changes in ${name}, sleeping from one time to the next, every fire comes at its instant, once`, async () => {
    for (const day of changes[name] ?? []) {
      await using t = await open(`${day}T12:00:00Z`, name)
      await t.make('30 2 * * *')
      await t.make('0 */8 * * *')
      const end = t.clock.now() + 3 * 24 * 3_600_000
      const ran: string[] = []
      for (;;) {
        const step = await t.go()
        ran.push(...step.ran)
        if (step.wakeAt === undefined || step.wakeAt > end) break
        assert.ok(step.wakeAt > t.clock.now() || step.ran.length > 0)
        t.clock.set(Math.max(step.wakeAt, t.clock.now()))
      }
      assert.equal(new Set(ran).size, ran.length, 'nothing twice')
      const daily = ran.filter((one) => one.startsWith('30 2')).map((one) => one.split('@')[1] ?? '')
      assert.equal(daily.length, 3)
      assert.equal(new Set(daily.map((iso) => iso.slice(0, 10))).size, 3, 'once a day')
      assert.ok(daily.filter((iso) => iso.slice(11, 16) !== '02:30').length <= 1)
      const eighths = ran.filter((one) => one.startsWith('0 */8')).map((one) => one.split('@')[1] ?? '')
      assert.ok(eighths.length >= 8)
      // In Santiago the clock goes from midnight to one.
      assert.ok(eighths.filter((iso) => !['00:00', '08:00', '16:00'].includes(iso.slice(11, 16))).length <= 1)
    }
  })
}

function start(dir: string, mode: string): ChildProcess {
  return spawn(process.execPath, ['--conditions=development', program, dir, mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function outputOf(child: ChildProcess): Promise<string> {
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (text += part))
  await once(child, 'close')
  return text
}

test('of several processes that look at once, each time is run by one', async () => {
  await using t = await open('2026-06-01T10:00:00Z')
  for (let i = 0; i < 6; i++)
    await t.jobs.create({ schedule: 'every 10m', prompt: 'x', name: `job${i}`, missed: { run: 'all' } })
  const outputs = await Promise.all(['a', 'b', 'c', 'd'].map(() => outputOf(start(t.home.dir, 'run'))))
  const ran = outputs
    .join('')
    .split('\n')
    .filter((line) => line !== '')
  assert.equal(ran.length, 6 * 3)
  assert.equal(new Set(ran).size, ran.length)
})

test('what a process had taken when it was killed is told as interrupted, is not run again, and the next time is', async () => {
  await using t = await open('2026-06-01T10:00:00Z')
  const { id } = await t.make('every 10m', { run: 'once' })
  const { id: single } = await t.make('30m')
  const child = start(t.home.dir, 'hang')
  await once(child.stdout!, 'data')
  t.clock.set('2026-06-01T10:31:00Z')
  assert.deepEqual((await t.claim()).claims, [], 'while its process lives nobody else runs it')
  child.kill('SIGKILL')
  await once(child, 'close')
  assert.deepEqual((await t.go()).ran, [])
  const [job, once_] = (await t.jobs.list()).jobs
  assert.deepEqual([job?.last_status, job?.repeat.completed, job?.enabled], ['error', 1, true])
  assert.match(job?.last_error ?? '', /killed[^]*not known[^]*not run again/)
  assert.deepEqual([once_?.id, once_?.state, once_?.enabled], [single, 'completed', false])
  await t.jobs.trigger(single)
  assert.deepEqual((await t.go()).ran, ['30m@2026-06-01T10:31:00+00:00'], 'unless a person asks for it')
  t.clock.set('2026-06-01T10:40:00Z')
  assert.deepEqual((await t.go()).ran, ['every 10m@2026-06-01T10:40:00+00:00'])
  const states = (await t.runs.list({ jobId: id })).map(({ state }) => state)
  assert.deepEqual(states.filter((state) => state === 'interrupted').length, 1)
})

test('a process that is killed between its claim and the jobs file leaves a time that nobody runs again', async () => {
  await using t = await open()
  const { id, name } = await t.make('every 10m')
  t.clock.set('2026-06-01T10:10:00Z')
  const scheduledAt = t.clock.now()
  await t.runs.claim({ jobId: id, jobName: name, scheduledAt, zone: 'UTC' }, t.clock.now())
  await t.runs.finish(
    { jobId: id, scheduledAt },
    { state: 'interrupted', error: 'x', deliveryError: undefined, outputPath: undefined },
    t.clock.now(),
  )
  assert.deepEqual((await t.go()).ran, [])
  assert.equal((await t.job())?.next_run_at, '2026-06-01T10:20:00+00:00')
})

test('what a process took and could not end, it lets go, and is then told as interrupted', async () => {
  await using t = await open()
  const { id } = await t.make('every 10m')
  t.clock.set('2026-06-01T10:10:00Z')
  const [claim] = (await t.claim()).claims
  assert.deepEqual((await t.claim()).claims, [])
  assert.equal((await t.job())?.last_status, null)
  t.runs.release({ jobId: id, scheduledAt: claim?.times[0] ?? 0 })
  await t.claim()
  assert.match((await t.job())?.last_error ?? '', /not run again/)
  t.clock.set('2026-06-01T10:20:00Z')
  assert.equal((await t.go()).ran.length, 1)
})
