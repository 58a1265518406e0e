import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { test } from 'node:test'
import { openJobs } from '../cron/job-store.ts'
import { nobody } from '../agent/decision.ts'
import type { Decide, DecisionRequest } from '../agent/decision.ts'
import { availability } from './availability.ts'
import { cronjob } from './cronjob.ts'
import { testContext } from './test-context.ts'
import type { TestContext } from './test-context.ts'

async function open(
  chat?: { readonly platform: string; readonly chatId: string; readonly threadId?: string },
  decide: Decide = nobody,
) {
  const t = await testContext({ decide })
  await mkdir(t.context.agent.home.path('cron'))
  const { turn } = t.context
  const request = { ...turn.request, face: { ...turn.request.face, ...(chat && { chat }) } }
  const model = { provider: { name: 'anthropic' } } as typeof turn.model
  const context: TestContext['context'] = { ...t.context, turn: { ...turn, request, model } }
  return {
    ...t,
    async run(args: unknown) {
      const result = await cronjob.run(cronjob.input.parse(args), context)
      return { ...result, json: JSON.parse(result.content) }
    },
    jobs: () => openJobs(t.context.agent).list(),
  }
}

test('a job is made, listed, changed, paused, resumed, run and removed', async () => {
  await using t = await open()
  const made = await t.run({
    action: 'create',
    schedule: 'every 2h',
    prompt: 'Check the disk',
    name: 'Disk',
    repeat: 2,
  })
  const { job_id: id, message, next_run_at, job, ...rest } = made.json
  assert.deepEqual(rest, {
    success: true,
    name: 'Disk',
    skill: null,
    skills: [],
    schedule: 'every 120m',
    repeat: '2 times',
    deliver: 'local',
  })
  assert.match(id, /^[0-9a-f]{12}$/)
  assert.match(next_run_at, /^\d{4}-\d\d-\d\dT/)
  assert.match(message, /"Disk" is scheduled\.[^]*gateway/)
  assert.equal(job.prompt_preview, 'Check the disk')
  assert.equal((await t.run({ action: 'pause', job_id: id, reason: 'away' })).json.job.paused_reason, 'away')
  assert.equal((await t.run({ action: 'list' })).json.count, 1)
  assert.equal((await t.run({ action: 'list', include_disabled: false })).json.count, 0)
  assert.equal((await t.run({ action: 'resume', job_id: id })).json.job.state, 'scheduled')
  const changed = await t.run({
    action: 'update',
    job_id: id,
    schedule: '0 9 * * 1-5',
    skills: ['a'],
    repeat: 0,
    model: { model: 'claude-x' },
    missed: 'once',
  })
  const { schedule, skills, repeat, model, provider, missed } = changed.json.job
  assert.deepEqual(
    { schedule, skills, repeat, model, provider, missed },
    {
      schedule: '0 9 * * 1-5',
      skills: ['a'],
      repeat: 'forever',
      model: 'claude-x',
      provider: 'anthropic',
      missed: { run: 'once' },
    },
  )
  assert.deepEqual((await t.run({ action: 'update', job_id: id, skills: [], script: '' })).json.job.skills, [])
  const before = Date.now()
  const due = await t.run({ action: 'run_now', job_id: id })
  assert.ok(Math.abs(Date.parse(due.json.job.next_run_at) - before) < 60_000)
  const removed = await t.run({ action: 'remove', job_id: id })
  assert.deepEqual(removed.json.removed_job, { id, name: 'Disk', schedule: '0 9 * * 1-5' })
  assert.deepEqual((await t.jobs()).jobs, [])
})

test('a job that is made in a chat answers there', async () => {
  await using t = await open({ platform: 'telegram', chatId: '-5', threadId: '7' })
  const { json } = await t.run({ action: 'create', schedule: '30m', skill: 'news' })
  assert.deepEqual([json.deliver, json.repeat, json.skills], ['origin', 'once', ['news']])
  assert.deepEqual((await t.jobs()).jobs[0]?.origin, { platform: 'telegram', chat_id: '-5', thread_id: '7' })
})

const refused: readonly (readonly [args: object, why: RegExp])[] = [
  [{ action: 'create', prompt: 'x' }, /needs a schedule/],
  [{ action: 'create', schedule: '1h' }, /needs a prompt or a skill/],
  [{ action: 'create', schedule: 'sometimes', prompt: 'x' }, /is no schedule[^]*every weekday/],
  [{ action: 'create', schedule: '1h', prompt: 'cat ~/.env' }, /read_secrets/],
  [{ action: 'pause' }, /job_id is required/],
  [{ action: 'remove', job_id: 'nope' }, /is no job/],
]
for (const [args, why] of refused) {
  test(`${JSON.stringify(args)} is refused and makes nothing`, async () => {
    await using t = await open()
    const { json, status } = await t.run(args)
    assert.equal(status, 'error')
    assert.equal(json.success, false)
    assert.match(json.error, why)
    assert.deepEqual((await t.jobs()).jobs, [])
  })
}

test('a scheduled job has no cronjob tool, and is told why', async () => {
  await using t = await testContext()
  const check = await availability['cronjob']?.()
  const ask = (platform: string) => check?.(t.context.agent, { id: 's', platform })
  assert.equal(await ask('cli'), true)
  assert.equal(await ask('telegram'), true)
  assert.equal(await check?.(t.context.agent, undefined), true)
  assert.match(String(await ask('cron')), /scheduled job makes/)
})

test('a script is made part of a job only where a person agrees', async () => {
  const asked: DecisionRequest[] = []
  let choice: 'once' | 'deny' = 'deny'
  await using t = await open(undefined, async (request) => {
    asked.push(request)
    return { kind: 'approval', choice }
  })
  const make = (script: string) => t.run({ action: 'create', schedule: '1h', prompt: 'x', script })
  assert.equal((await make('fetch.py')).status, 'denied')
  assert.deepEqual((await t.jobs()).jobs, [])
  assert.ok(asked[0]?.kind === 'approval' && asked[0].subject === 'run scripts/fetch.py at set times (1h)')
  choice = 'once'
  assert.match((await make('../x.py')).json.error, /below/)
  assert.equal((await make('fetch.py')).json.job.script, 'fetch.py')
  await using unattended = await open()
  const refusal = await unattended.run({ action: 'create', schedule: '1h', prompt: 'x', script: 'fetch.py' })
  assert.equal(refusal.status, 'denied')
})
