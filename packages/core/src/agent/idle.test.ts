import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import type { ScriptedAnswer } from '@hermes/testing'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { nobody } from './decision.ts'

const id = '20260101_000000_aaaaaa'
const hourMs = 3_600_000
const stepMs = 10_000

/** Timers that keep the process awake, whoever has set them and however. */
const pendingTimers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length

test('in an hour of idling an open agent asks no model and sets nothing to wake up by', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: Date.now() })
  const before = pendingTimers()
  const answers: readonly ScriptedAnswer[] = [
    { toolCalls: [{ name: 'terminal', arguments: { command: 'sleep 300', background: true } }] },
    { text: 'It runs.' },
  ]
  await using agent = await startScriptedAgent({ script: (_request, n) => answers[n] ?? { text: 'A title' } })
  const face = { name: 'cli', decide: nobody, isLasting: true }
  const events = await agent.turn(id, 'start it', { face })
  const end = events.at(-1)
  assert.equal(end?.type === 'turn-end' && end.status, 'completed')
  // The title is asked for when the turn is over; with it all work is done.
  await agent.model.arrived(3)
  await agent.model.ended(2)
  while ((await agent.context.sessions.get(id))?.title === undefined) await breathe()

  for (let passedMs = 0; passedMs < hourMs; passedMs += stepMs) {
    t.mock.timers.tick(stepMs)
    await breathe()
  }
  assert.equal(agent.model.requests.length, 3)
  assert.equal(agent.model.modelListings, 0)
  assert.equal(pendingTimers(), before)
})
