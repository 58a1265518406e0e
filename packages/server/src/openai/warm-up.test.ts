import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { warmUp } from './warm-up.ts'

/** Where nobody listens. */
const nobodyThere = 'http://127.0.0.1:9'

test('warming up stores nothing, asks nobody but its own server, logs no failure and leaves no session open', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  await using agent = await startScriptedAgent({ work: { 'AGENTS.md': 'Build with make.' } })
  const closed: string[] = []
  const failures: string[] = []
  const scopes = { ...agent.context.scopes, close: async (id: string) => void closed.push(id) }
  const log = { ...agent.context.log, debug: (fields: unknown, message: string) => void failures.push(message) }
  using warming = warmUp({ ...agent.context, scopes, log }, url)
  await warming.done
  assert.deepEqual(
    failures.filter((message) => /warmed/.test(message)),
    [],
  )
  assert.deepEqual(await agent.context.sessions.list(), [])
  assert.equal(agent.model.requests.length, 0)
  assert.equal(agent.model.modelListings, 0)
  assert.deepEqual(closed, ['api-warm-up'])
  assert.deepEqual(asked, ['/health'])
  server.closeAllConnections()
  server.close()
})

test('what was warmed up sees changes: the first session has the files as they are then', async () => {
  await using agent = await startScriptedAgent({ work: { 'AGENTS.md': 'Build with make.' } })
  using warming = warmUp(agent.context, nobodyThere)
  await warming.done
  await agent.put('AGENTS.md', 'Build with gulp.')
  await agent.turn('one', 'hello')
  assert.match(agent.prompts()[0] ?? '', /gulp/)
})
