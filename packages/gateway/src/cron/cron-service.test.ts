import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { jobsPath } from '@hermes/core/cron/jobs-file.ts'
import { openJobs } from '@hermes/core/cron/job-store.ts'
import type { JobInput } from '@hermes/core/cron/job-store.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { ScriptedAgentOptions } from '@hermes/testing/scripted-agent.ts'
import { startServices } from '../life/start-services.ts'
import type { Services } from '../life/start-services.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import { openTestGateway } from '../test-gateway.ts'
import { cronService } from './cron-service.ts'

/** A gateway with one platform, and the scheduler beside it. */
async function open(options: ScriptedAgentOptions = {}) {
  const agent = await startScriptedAgent({ home: { '.env': 'TEST_HOME_CHANNEL=7\n' }, ...options })
  const all = await openTestGateway(agent)
  const jobs = openJobs(agent.context)
  const start = async () =>
    startServices(
      [await cronService(agent.context)],
      { agent: agent.context, courier: all.gateway.courier },
      () => undefined,
    )
  let beside: Services = await start()
  return {
    all,
    jobs,
    agent,
    get beside() {
      return beside
    },
    platform: all.platform,
    /** Makes a job and has it run now. */
    async run(input: JobInput) {
      const job = await jobs.create({ schedule: '0 9 * * *', prompt: 'Say hello', name: 'Greeting', ...input })
      return jobs.trigger(job.id)
    },
    find: async (id: string) => (await jobs.list()).jobs.find((one) => one.id === id),
    async restart() {
      await beside[Symbol.asyncDispose]()
      beside = await start()
    },
    async [Symbol.asyncDispose]() {
      await beside[Symbol.asyncDispose]()
      await all[Symbol.asyncDispose]()
    },
  }
}

const origin = { platform: 'test', chat_id: 'Cased42', thread_id: '9' }

test('what a job says comes to the chat that it was made in, its home channel, or the one that is named', async () => {
  await using t = await open({ script: () => ({ text: 'The news.' }) })
  await t.run({ origin })
  assert.equal((await t.platform.waitForSent(1))[0]?.chatId, 'Cased42')
  await t.run({ deliver: 'test' })
  assert.equal((await t.platform.waitForSent(2))[1]?.chatId, '7')
  await t.run({ deliver: 'test:Room:3' })
  const named = (await t.platform.waitForSent(3))[2]
  assert.equal(named?.chatId, 'Room')
  assert.match(named?.text ?? '', /^Scheduled job: Greeting\n[^]*The news\./)
})

test('a long answer is cut as its platform takes it, with a key of its own for each part', async () => {
  await using t = await open({
    script: () => ({ text: 'Many words. '.repeat(150) }),
    config: 'cron: {wrap_response: false}',
  })
  const { id } = await t.run({ deliver: 'test' })
  const sent = await t.platform.waitForSent(2)
  assert.ok(sent.every(({ text }) => text.length <= 1_000))
  assert.deepEqual(
    sent.map(({ key }) => key.replace(/:\d{13}:/, ':TIME:')),
    [`cron:${id}:TIME:0`, `cron:${id}:TIME:1`],
  )
})

test('a job that cannot be delivered says why: the platform does not run, or it refuses', async () => {
  await using t = await open()
  const elsewhere = await t.run({ deliver: 'slack:C1' })
  const error = async (id: string) => {
    for (;;) {
      const found = (await t.find(id))?.last_delivery_error
      if (found) return found
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  assert.match(await error(elsewhere.id), /does not run for "slack"; platforms that it runs for: test/)
  t.platform.failNext(new PlatformError('refused', 'the bot was thrown out'))
  const refused = await t.run({ deliver: 'test' })
  assert.match(await error(refused.id), /the bot was thrown out/)
})

test('a stop lets the job that runs end and brings its answer, and takes no more', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  await using t = await open({
    script: async () => {
      asked.resolve()
      await answer.promise
      return { text: 'Late news.' }
    },
  })
  await t.run({ deliver: 'test' })
  await asked.promise
  assert.equal(t.beside.busy, 1)
  const drained = t.beside.drain(60_000)
  const later = await t.run({ deliver: 'test', name: 'Later' })
  answer.resolve()
  await drained
  assert.match(t.platform.sent[0]?.text ?? '', /Late news\./)
  assert.equal((await t.find(later.id))?.last_run_at, null)
  await t.restart()
  assert.match((await t.platform.waitForSent(2))[1]?.text ?? '', /Scheduled job: Later/)
})

test('jobs alone are a reason to run a gateway; none are not', async () => {
  await using t = await open()
  assert.equal((await cronService(t.agent.context)).isCompanion, true)
  await t.jobs.create({ schedule: '0 9 * * *', prompt: 'Say hello' })
  assert.equal((await cronService(t.agent.context)).isCompanion, false)
})

test('a file of jobs that cannot be read keeps nothing else from running, and is taken up once it is mended', async () => {
  await using agent = await startScriptedAgent()
  await using all = await openTestGateway(agent)
  const jobs = openJobs(agent.context)
  const job = await jobs.create({ schedule: '0 9 * * *', prompt: 'Say hello', deliver: 'local' })
  const whole = await readFile(jobsPath(agent.context.home), 'utf8')
  await writeFile(jobsPath(agent.context.home), whole.slice(0, whole.length / 2))
  const cron = await cronService(agent.context)
  assert.equal(cron.isCompanion, false)
  const told: string[] = []
  const again = Promise.withResolvers<void>()
  const options = { agent: agent.context, courier: all.gateway.courier, retryMs: 10 }
  await using beside = await startServices([cron], options, ({ state, error = '' }) => {
    told.push(`${state} ${error}`)
    if (state === 'connected') again.resolve()
  })
  assert.throws(() => beside.throwIfNone(), /jobs\.json cannot be read.*Repair it or move it away/)
  assert.match(told[0] ?? '', /^retrying .*jobs\.json cannot be read/)
  await writeFile(jobsPath(agent.context.home), whole)
  await again.promise
  assert.equal(beside.statuses[0]?.state, 'connected')
  beside.throwIfNone()
  await jobs.trigger(job.id)
  while (!(await jobs.list()).jobs[0]?.last_run_at) await new Promise((resolve) => setImmediate(resolve))
})
