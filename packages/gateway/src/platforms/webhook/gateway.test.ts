import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startGateway } from '../../gateway.ts'
import { createTestPlatform } from '../test-platform.ts'
import { webhook } from './index.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}

test('an event is worked on in a conversation of its own, and its answer comes to the chat that its route names', async () => {
  const port = await freePort()
  await using agent = await startScriptedAgent({
    script: (request) => ({ text: request.body.tools ? 'The build is broken.' : 'T' }),
    config: `platforms: {webhook: {enabled: true, extra: {host: 127.0.0.1, port: ${port}, secret: made-up-secret, routes: {ci: {prompt: "Look: {job}", deliver: test, deliver_extra: {chat_id: Room}}}}}}\n`,
  })
  const setup = webhook.read(agent.context.config, agent.context.environment)
  assert.ok(setup.state === 'ready')
  const chats = createTestPlatform()
  await using gateway = await startGateway({
    agent: agent.context,
    platforms: [
      { platform: webhook, settings: setup.settings },
      { platform: chats, settings: null },
    ],
  })
  while (gateway.platforms().some(({ state }) => state === 'connecting')) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  const answer = await fetch(`http://127.0.0.1:${port}/webhooks/ci`, {
    method: 'POST',
    body: '{"job":"nightly"}',
    headers: { 'x-gitlab-token': 'made-up-secret', 'idempotency-key': 'one' },
  })
  assert.equal(answer.status, 202)
  const [sent] = await chats.waitForSent(1)
  assert.deepEqual([sent?.chatId, sent?.text], ['Room', 'The build is broken.'])
  const asked = agent.model.requests.find((request) => request.body.tools)?.body.messages?.at(-1)
  assert.match(String(asked?.content), /Look: nightly/)
})
