import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startOtlpCollector } from '@hermes/testing/otlp-collector/server.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openJobs } from './job-store.ts'
import { manualClock } from './test-cron.ts'
import { tick } from './tick.ts'

test('a run of a job is a trace with its turn in it, and lines of the log under its own name', async () => {
  await using collector = await startOtlpCollector()
  await using all = await startScriptedAgent({
    config: `telemetry: {otlp: {enabled: true, endpoint: "${collector.url}"}}`,
    script: () => ({ text: 'words of the answer' }),
  })
  const clock = manualClock('2026-06-01T10:00:00Z')
  const jobs = openJobs({ home: all.context.home, clock })
  const job = await jobs.create({ schedule: '2026-06-01T10:00:20Z', prompt: 'words of the task', name: 'soon' })
  clock.set('2026-06-01T10:00:20Z')
  await tick({ agent: all.context, clock }, new AbortController().signal)
  await all.context[Symbol.asyncDispose]()

  const run = collector.spans.find(({ name }) => name === 'run_job')
  const turn = collector.spans.find(({ name }) => name === 'invoke_agent hermes')
  assert.deepEqual([run?.parentSpanId, run?.attributes['hermes.status']], [undefined, 'ok'])
  assert.equal(run?.attributes['hermes.job.id'], job.id)
  assert.deepEqual([turn?.parentSpanId, turn?.attributes['hermes.face']], [run?.spanId, 'cron'])
  const log = await readFile(all.home.path('logs', 'agent.log'), 'utf8')
  assert.match(log, / INFO \[\S+\] cron: scheduled job begins /)
  assert.match(log, / INFO cron: scheduled job ended .*"durationMs":\d+\}\n/)
  assert.match(log, / INFO \[\S+\] agent: turn finished /)
  assert.doesNotMatch(log + JSON.stringify(collector.spans), /words of/)
})
