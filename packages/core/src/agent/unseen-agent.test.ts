import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { noUsage } from '../models/model.ts'
import type { ModelProvider } from '../models/model.ts'
import { nobody } from './decision.ts'
import { runTurn } from './run-turn.ts'
import { unseenAgent } from './unseen-agent.ts'

test('a turn that nobody sees goes through to its answer, and leaves nothing behind that anybody could see', async () => {
  await using agent = await startScriptedAgent({})
  const { context } = agent
  const told: string[] = []
  const observer = { begin: () => assert.fail('nobody is to hear of it'), note: () => assert.fail('nor of this') }
  const request = {
    session: { id: 'unseen', source: 'test', isNew: true },
    message: { text: 'Hello.', typedLength: 0 },
    face: { name: 'test', decide: nobody, isLasting: true },
  }
  const tell = (_fields: unknown, message: string) => void told.push(message)
  const log = { ...context.log, debug: tell, info: tell, warn: tell, error: tell }
  const provider: ModelProvider = {
    name: 'here',
    async *stream() {
      yield { type: 'text-delta', text: 'Here I am.' }
      yield { type: 'finish', reason: 'stop', usage: noUsage }
    },
  }
  const models = { ...context.models, resolve: async () => ({ model: 'here', provider, contextLength: 128_000 }) }
  const unseen = unseenAgent({ ...context, observer, log }, models)
  const events = await Array.fromAsync(runTurn(request, unseen, AbortSignal.timeout(60_000)))
  const end = events.at(-1)
  assert.deepEqual(end?.type === 'turn-end' && [end.status, end.text], ['completed', 'Here I am.'])
  assert.ok(context.scopes.get('unseen').contextState.meter, 'it went by the profile itself')
  await context.scopes.close('unseen')
  assert.deepEqual(told, [])
  assert.deepEqual(await context.sessions.list(), [])
  assert.equal(agent.model.requests.length + agent.model.modelListings, 0)
})
