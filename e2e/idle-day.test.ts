import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { scriptedConfig, startHermes } from './run-hermes.ts'

/** A day of the gateway's clock, ms of ours. */
const dayMs = 10_000

test('a gateway that nobody speaks to asks no model all day, hardly works, and is there afterwards', async () => {
  await using model = await startScriptedModel(() => ({ text: 'Good evening.' }))
  await using home = await temporaryHome({
    ...scriptedConfig(
      model.url,
      'memory: {nudge_interval: 0}\nplatforms: {webhook: {enabled: true, extra: {port: 0, secret: made-up-secret}}}\n',
    ),
    'cron/jobs.json': JSON.stringify({ jobs: [job('a year from now', Date.now() + 365 * 24 * 3_600_000)] }),
  })
  const clock = pathToFileURL(join(import.meta.dirname, 'fast-clock.fixture.ts')).href
  const gateway = startHermes(
    ['gateway', 'run'],
    {
      ...home.environment,
      API_SERVER_KEY: 'made-up-key-of-the-tests',
      API_SERVER_PORT: '0',
      NODE_OPTIONS: `--import=${clock}`,
    },
    { cwd: home.dir },
  )
  try {
    await running(home.path('gateway_state.json'))
    const before = await cpuMs(gateway.pid)
    await wait(dayMs)
    const worked = (await cpuMs(gateway.pid)) - before
    assert.equal(model.requests.length, 0)
    // A tick a minute and what is tidied by the hour: less than a ten-thousandth of a day.
    assert.ok(worked < 8_640, `worked for ${worked} ms`)
  } finally {
    gateway.kill('SIGTERM')
    const { stderr } = await gateway.ended
    assert.match(stderr, /The gateway has stopped/)
  }
  const { gateway_state, updated_at } = JSON.parse(await readFile(home.path('gateway_state.json'), 'utf8'))
  assert.equal(gateway_state, 'stopped')
  assert.ok(Date.parse(updated_at) - Date.now() > 20 * 3_600_000, `it is ${updated_at} there`)
})

function job(name: string, at: number) {
  const run_at = new Date(at).toISOString()
  return {
    id: 'aaaaaaaaaaaa',
    name,
    prompt: 'Say so.',
    schedule: { kind: 'once', run_at, display: run_at },
    enabled: true,
    next_run_at: run_at,
  }
}

/** Resolves when the gateway says of itself that it runs. */
async function running(path: string): Promise<void> {
  for (let left = 600; left > 0; left--) {
    const text = await readFile(path, 'utf8').catch(() => '{}')
    if (text.includes('"running"')) return
    await wait(100)
  }
  throw new Error('the gateway does not run')
}

/** Processor time of a process, ms. */
async function cpuMs(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
