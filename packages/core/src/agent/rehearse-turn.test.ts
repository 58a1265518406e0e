import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { nobody } from './decision.ts'
import { rehearseTurn } from './rehearse-turn.ts'

test('a rehearsed turn goes through to its answer, and leaves nothing behind that anybody could see', async () => {
  await using agent = await startScriptedAgent({})
  const { context } = agent
  const told: string[] = []
  const measured: string[] = []
  const scopes = {
    ...context.scopes,
    close: async (id: string) => {
      measured.push(String(context.scopes.get(id).contextState.meter !== undefined), id)
      await context.scopes.close(id)
    },
  }
  const observer = { begin: () => assert.fail('nobody is to hear of it'), note: () => assert.fail('nor of this') }
  const request = {
    session: { id: 'rehearsal', source: 'test', isNew: true },
    message: { text: 'Hello.', typedLength: 0 },
    face: { name: 'test', decide: nobody },
  }
  const log = { ...context.log, error: (_fields: unknown, message: string) => void told.push(message) }
  const ended = await rehearseTurn(request, { ...context, scopes, observer, log }, AbortSignal.timeout(60_000))
  assert.equal(ended, 'completed')
  assert.deepEqual(measured, ['true', 'rehearsal'])
  assert.deepEqual(told, [])
  assert.deepEqual(await context.sessions.list(), [])
  assert.equal(agent.model.requests.length + agent.model.modelListings, 0)
})
