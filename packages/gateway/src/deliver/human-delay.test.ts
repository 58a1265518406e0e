import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { openTestGateway } from '../test-gateway.ts'
import { pausedTimes } from './human-delay.ts'

test('files go out one after the other, with the pauses that the settings want', () => {
  const times = (human_delay: object) => pausedTimes(3, configSchema.parse({ human_delay }).human_delay, 1_000)
  assert.deepEqual(times({}), [])
  assert.deepEqual(times({ mode: 'custom', min_ms: 10, max_ms: 10 }), [1_010, 1_020, 1_030])
  const [first = 0, second = 0] = times({ mode: 'natural' })
  assert.ok(first >= 1_800 && first <= 3_500 && second - first >= 800, `${first} ${second}`)
})

test('an answer’s text comes first, and its files after their pauses', async () => {
  const all = await startScriptedAgent({
    config:
      'memory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\nhuman_delay: {mode: custom, min_ms: 400, max_ms: 400}\n',
    home: { '.env': 'TEST_ALLOW_ALL_USERS=true\nTEST_HOME_CHANNEL=7\n' },
    work: { 'a.pdf': 'a', 'b.pdf': 'b' },
    script: (request) => ({ text: request.body.tools ? 'Here.\nMEDIA:a.pdf\nMEDIA:b.pdf' : 'T' }),
  })
  await using gateway = await openTestGateway(all)
  const since = performance.now()
  await gateway.platform.write('both files')
  await gateway.platform.waitForSent(3)
  // Timers may be a millisecond early.
  assert.ok(performance.now() - since >= 799)
  assert.deepEqual(
    gateway.platform.sent.map(({ part }) => part.type),
    ['text', 'file', 'file'],
  )
})
