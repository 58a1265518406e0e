import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { CronError } from './cron-error.ts'
import { jobView } from './job-view.ts'
import { manualClock, testCron } from './test-cron.ts'

/** As the Python program writes it. */
const upstream = {
  jobs: [
    {
      id: 'a1b2c3d4e5f6',
      name: 'Morning news',
      prompt: 'Summarise the news – kurz',
      skills: ['news-briefing', 'style'],
      skill: 'news-briefing',
      model: 'anthropic/claude-sonnet-4',
      provider: null,
      base_url: null,
      script: 'fetch.py',
      schedule: { kind: 'cron', expr: '0 7 * * *', display: '0 7 * * *' },
      schedule_display: '0 7 * * *',
      repeat: { times: null, completed: 12 },
      enabled: true,
      state: 'scheduled',
      paused_at: null,
      paused_reason: null,
      created_at: '2026-01-02T08:00:00.123456+01:00',
      next_run_at: '2026-03-29T07:00:00+02:00',
      last_run_at: '2026-03-28T07:00:41.654321+01:00',
      last_status: 'ok',
      last_error: null,
      last_delivery_error: null,
      deliver: 'telegram:-100123:7',
      origin: { platform: 'telegram', chat_id: '-100123', chat_name: 'Family', thread_id: '7' },
      something_new: { kept: true },
    },
  ],
  updated_at: '2026-03-28T07:00:41.700000+01:00',
  version: 3,
}

async function home(content: string) {
  const made = await temporaryHome()
  await mkdir(made.path('cron'), { mode: 0o700 })
  await writeFile(made.path('cron', 'jobs.json'), content)
  return made
}

test("upstream's file goes on: its job runs at its time, and what is not ours to know stays", async () => {
  await using made = await home(JSON.stringify(upstream, null, 2))
  const clock = manualClock('2026-03-29T04:59:00Z', 'Europe/Berlin')
  using cron = await testCron(made.dir, clock)
  assert.equal((await cron.go()).wakeAt, Date.parse('2026-03-29T05:00:00Z'))
  clock.set('2026-03-29T05:00:02Z')
  assert.deepEqual((await cron.go()).ran, ['Morning news@2026-03-29T07:00:00+02:00'])
  const file = JSON.parse(await readFile(made.path('cron', 'jobs.json'), 'utf8'))
  const { next_run_at, last_run_at, timezone, repeat, ...rest } = file.jobs[0]
  const { next_run_at: _n, last_run_at: _l, repeat: _r, ...before } = upstream.jobs[0]!
  assert.deepEqual(rest, before)
  assert.deepEqual(
    [next_run_at, last_run_at, timezone, repeat],
    ['2026-03-30T07:00:00+02:00', '2026-03-29T07:00:02+02:00', 'Europe/Berlin', { times: null, completed: 13 }],
  )
  assert.deepEqual([file.version, file.updated_at], [3, '2026-03-29T07:00:02+02:00'])
})

test('what a job lacks has its usual value, and an older file with one skill is read', async () => {
  const jobs = [
    { id: 'abc', prompt: 'x', skill: 'one', schedule: { kind: 'interval', minutes: 5 }, repeat: null, deliver: null },
  ]
  await using made = await home(JSON.stringify({ jobs }))
  using cron = await testCron(made.dir, manualClock('2026-01-01T00:00:00Z'))
  const [job] = (await cron.jobs.list()).jobs
  const { skills, enabled, state, repeat, deliver, schedule } = jobView(job!)
  assert.deepEqual(
    { skills, enabled, state, repeat, deliver, schedule },
    {
      skills: ['one'],
      enabled: true,
      state: 'scheduled',
      repeat: 'forever',
      deliver: 'local',
      schedule: 'every 5m',
    },
  )
})

test('a schedule that is a text, as the HTTP interface left it, is read', async () => {
  await using made = await home(JSON.stringify({ jobs: [{ id: 'abc', prompt: 'x', schedule: 'every 2h' }] }))
  using cron = await testCron(made.dir, manualClock('2026-01-01T00:00:00Z'))
  assert.deepEqual((await cron.jobs.list()).jobs[0]?.schedule, {
    kind: 'interval',
    minutes: 120,
    display: 'every 120m',
  })
})

test('line breaks within texts are taken for what they mean', async () => {
  const text = JSON.stringify(upstream).replace('Summarise the news', 'Summarise\nthe\tnews')
  await using made = await home(`\uFEFF${text}`)
  using cron = await testCron(made.dir, manualClock('2026-01-01T00:00:00Z'))
  assert.equal((await cron.jobs.list()).jobs[0]?.prompt, 'Summarise\nthe\tnews – kurz')
})

for (const content of ['{"jobs": [', '[1, 2', '{"jobs": {}}', '"jobs"', 'null']) {
  test(`a file that holds ${content} is told and left as it is`, async () => {
    await using made = await home(content)
    using cron = await testCron(made.dir, manualClock('2026-01-01T00:00:00Z'))
    const isCorrupt = (error: unknown) => error instanceof CronError && error.code === 'corrupt-file'
    await assert.rejects(cron.jobs.list(), isCorrupt)
    await assert.rejects(cron.jobs.create({ schedule: '1h', prompt: 'x' }), isCorrupt)
    assert.equal(await readFile(made.path('cron', 'jobs.json'), 'utf8'), content)
  })
}

test('entries that are no jobs are told, do not run, and stay in the file', async () => {
  const good = { id: 'good', prompt: 'x', schedule: { kind: 'interval', minutes: 5 } }
  const bad = [
    7,
    { id: '../../etc', prompt: 'x', schedule: good.schedule },
    { id: 'odd', schedule: 'whenever' },
    { ...good },
  ]
  await using made = await home(JSON.stringify([good, ...bad]))
  using cron = await testCron(made.dir, manualClock('2026-01-01T00:00:00Z'))
  const { jobs, broken } = await cron.jobs.list()
  assert.deepEqual(
    jobs.map(({ id }) => id),
    ['good'],
  )
  assert.deepEqual(
    broken.map(({ id }) => id),
    [undefined, '../../etc', 'odd', 'good'],
  )
  await cron.jobs.remove('good')
  assert.deepEqual(JSON.parse(await readFile(made.path('cron', 'jobs.json'), 'utf8')).jobs, bad)
})

test('a job whose expression means nothing is told in its last error and does not keep others from running', async () => {
  const jobs = [
    {
      id: 'bad',
      prompt: 'x',
      schedule: { kind: 'cron', expr: '99 * * * *' },
      next_run_at: '2026-01-01T00:00:00+00:00',
    },
    {
      id: 'good',
      name: 'good',
      prompt: 'x',
      schedule: { kind: 'interval', minutes: 5 },
      next_run_at: '2026-01-01T00:00:00+00:00',
    },
  ]
  await using made = await home(JSON.stringify({ jobs }))
  using cron = await testCron(made.dir, manualClock('2026-01-01T00:00:01Z'))
  assert.deepEqual((await cron.go()).ran, ['good@2026-01-01T00:00:00+00:00'])
  assert.match((await cron.jobs.list()).jobs[0]?.last_error ?? '', /"99 \* \* \* \*" is no cron expression/)
})

test('the file is for its owner alone', async () => {
  await using made = await home(JSON.stringify(upstream))
  await chmod(made.path('cron', 'jobs.json'), 0o644)
  using cron = await testCron(made.dir, manualClock('2026-01-01T00:00:00Z'))
  await cron.jobs.create({ schedule: '1h', prompt: 'x' })
  for (const [name, mode] of [
    ['jobs.json', 0o600],
    ['runs.db', 0o600],
    ['.', 0o700],
  ] as const) {
    assert.equal((await stat(made.path('cron', name))).mode & 0o777, mode, name)
  }
})

test('jobs made by many callers at once are all kept', async () => {
  await using made = await temporaryHome()
  using cron = await testCron(made.dir, manualClock('2026-01-01T00:00:00Z'))
  await Promise.all(Array.from({ length: 12 }, (_, i) => cron.jobs.create({ schedule: '1h', prompt: `job ${i}` })))
  assert.equal(new Set((await cron.jobs.list()).jobs.map(({ id }) => id)).size, 12)
})
