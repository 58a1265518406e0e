import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { createApiSessions } from './sessions.ts'

test('a session is told to be new only where nothing of it is stored', async () => {
  await using agent = await startScriptedAgent()
  const sessions = createApiSessions(agent.context)
  const asked = { system: '', history: [], text: 'Hello' }
  const first = await sessions.forConversation(asked)
  assert.ok(first.isNew)
  await agent.context.sessions.create({ id: first.id, source: 'api_server' })
  first[Symbol.dispose]()
  const emptyOne = await sessions.forConversation(asked)
  assert.deepEqual([emptyOne.id, emptyOne.isNew], [first.id, false])
  emptyOne[Symbol.dispose]()
  await agent.turn(first.id, 'Hello')
  const { messageCount = 0 } = (await agent.context.sessions.get(first.id)) ?? {}
  using known = await sessions.continuing({ id: first.id, messageCount }, [])
  assert.deepEqual([known.id, known.isNew], [first.id, false])
})
