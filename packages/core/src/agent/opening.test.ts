import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { AgentContext } from './context.ts'
import { nobody } from './decision.ts'
import type { NumberedEvent } from './events.ts'
import { runTurn } from './run-turn.ts'
import type { TurnRequest } from './turn.ts'

const request: TurnRequest = {
  session: { id: 'a', source: 'cli' },
  message: { text: 'hi' },
  face: { name: 'cli', decide: nobody },
}

/** A profile whose store adds a message when `before` resolves. */
function storingAfter(context: AgentContext, before: () => Promise<void>): AgentContext {
  const sessions = new Proxy(context.sessions, {
    get(store, name: keyof SessionStore) {
      if (name !== 'append') return typeof store[name] === 'function' ? store[name].bind(store) : store[name]
      return async (...args: Parameters<SessionStore['append']>) => {
        await before()
        return store.append(...args)
      }
    },
  })
  return { ...context, sessions }
}

test('the model is asked while the message is stored, and nothing is told or stored of its answer before', async () => {
  let store = () => {}
  const stored = new Promise<void>((resolve) => (store = resolve))
  await using all = await startScriptedAgent()
  const events: NumberedEvent[] = []
  const running = (async () => {
    const context = storingAfter(all.context, () => stored)
    for await (const event of runTurn(request, context, AbortSignal.timeout(60_000))) events.push(event)
  })()
  await all.model.arrived(1)
  await all.model.ended(0)
  assert.deepEqual(events, [])
  assert.deepEqual(await all.context.sessions.messages('a'), [])
  store()
  await running
  const types = events.map(({ type }) => type)
  assert.deepEqual([types[0], types.at(-1)], ['turn-start', 'turn-end'])
  const roles = (await all.context.sessions.messages('a')).map(({ message }) => message.role)
  assert.deepEqual(roles, ['user', 'assistant'])
})

test('a message that cannot be stored ends the turn while the model is silent, and nobody waits for its answer', async () => {
  await using all = await startScriptedAgent({ script: () => ({ fault: { type: 'stall' } }) })
  const context = storingAfter(all.context, async () => {
    await all.model.arrived(1)
    throw new Error('no room')
  })
  const events = await Array.fromAsync(runTurn(request, context, AbortSignal.timeout(60_000)))
  assert.deepEqual(
    events.map((event) => (event.type === 'turn-end' ? [event.status, event.failure?.message] : event.type)),
    [['failed', 'no room']],
  )
  await all.model.ended(0)
  assert.equal(all.model.requests[0]?.hungUp, true)
  assert.deepEqual(await all.context.sessions.messages('a'), [])
})
