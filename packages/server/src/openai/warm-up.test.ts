import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { warmUp } from './warm-up.ts'

test('warming up stores nothing, asks nobody, logs no failure and leaves no session open', async () => {
  await using agent = await startScriptedAgent({ work: { 'AGENTS.md': 'Build with make.' } })
  const closed: string[] = []
  const failures: string[] = []
  const scopes = { ...agent.context.scopes, close: async (id: string) => void closed.push(id) }
  const log = { ...agent.context.log, debug: (fields: unknown, message: string) => void failures.push(message) }
  using warming = warmUp({ ...agent.context, scopes, log })
  await warming.done
  assert.deepEqual(
    failures.filter((message) => /warmed/.test(message)),
    [],
  )
  assert.deepEqual(await agent.context.sessions.list(), [])
  assert.equal(agent.model.requests.length, 0)
  assert.equal(agent.model.modelListings, 0)
  assert.deepEqual(closed, ['api-warm-up'])
})

test('what was warmed up sees changes: the first session has the files as they are then', async () => {
  await using agent = await startScriptedAgent({ work: { 'AGENTS.md': 'Build with make.' } })
  using warming = warmUp(agent.context)
  await warming.done
  await agent.put('AGENTS.md', 'Build with gulp.')
  await agent.turn('one', 'hello')
  assert.match(agent.prompts()[0] ?? '', /gulp/)
})
