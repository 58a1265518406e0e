import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { createRedactor } from '../security/redact.ts'
import type { TurnEvent } from './events.ts'
import { redactingEvents } from './redact-events.ts'

const key = 'ghp_aB3dE5gH7jK9mN2pQ4sT6vW8xZ1aB3dE5gH7'

test('a key that a model says reaches no face, however it is cut, and the session keeps it', async () => {
  const text = ['Use ', key.slice(0, 9), key.slice(9, 30), `${key.slice(30)} for it, `, 'please.']
  await using all = await startScriptedAgent({ script: () => ({ reasoning: [`It is ${key}.`], text }) })
  const events = await all.turn('s', 'Which key?')
  assert.ok(!JSON.stringify(events).includes(key.slice(0, 20)))
  const shown = (type: string) =>
    events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
  const said = shown('text-delta')
  assert.match(said, /^Use «secret:\w+» for it, please\.$/)
  assert.equal(shown('answer-end'), said)
  assert.equal(shown('turn-end'), said)
  const stored = await all.context.sessions.messages('s')
  assert.equal(stored.at(-1)?.message.content, text.join(''))
})

test('what was held back comes before the end of the answer, and not at all when the answer is void', async () => {
  const events: TurnEvent[] = []
  const emit = redactingEvents((event) => void events.push(event), createRedactor({ enabled: true }))
  await emit({ type: 'text-delta', text: 'half' })
  await emit({ type: 'answer-reset' })
  await emit({ type: 'reasoning-delta', text: 'hm' })
  await emit({ type: 'text-delta', text: 'whole' })
  await emit({ type: 'answer-end', text: 'whole', toolCalls: 0 })
  assert.deepEqual(
    events.map((event) => ('text' in event ? `${event.type} ${event.text}` : event.type)),
    ['answer-reset', 'reasoning-delta hm', 'text-delta whole', 'answer-end whole'],
  )
})
