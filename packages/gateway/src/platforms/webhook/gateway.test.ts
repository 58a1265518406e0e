import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { freePort } from '@hermes/testing/free-ports.ts'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import { startGateway } from '../../gateway.ts'
import { createTestPlatform } from '../test-platform.ts'
import { webhook } from './index.ts'

/** The gateway with webhooks and a platform that answers can go to, both connected. */
async function startWith(chats: ReturnType<typeof createTestPlatform>, agent: AgentContext) {
  const setup = webhook.read(agent.config, agent.environment)
  assert.ok(setup.state === 'ready')
  const platforms = [
    { platform: webhook, settings: setup.settings },
    { platform: chats, settings: null },
  ]
  const gateway = await startGateway({ agent, platforms })
  while (gateway.platforms().some(({ state }) => state === 'connecting')) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  return gateway
}

test('an event is worked on in a conversation of its own, and its answer comes to the chat that its route names', async () => {
  const port = await freePort()
  await using agent = await startScriptedAgent({
    script: (request) => ({ text: request.body.tools ? 'The build is broken.' : 'T' }),
    config: `platforms: {webhook: {enabled: true, extra: {host: 127.0.0.1, port: ${port}, secret: made-up-secret, routes: {ci: {prompt: "Look: {job}", deliver: test, deliver_extra: {chat_id: Room}}}}}}\n`,
  })
  const chats = createTestPlatform()
  await using _gateway = await startWith(chats, agent.context)
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

/** A gateway with a webhook whose turn wants to remove a folder, and a chat that its answer goes to. */
async function openCleaning(deliver: string, buttons: boolean) {
  const port = await freePort()
  const agent = await startScriptedAgent({
    script: (request) => {
      if (!request.body.tools) return { text: 'T' }
      const last = request.body.messages?.at(-1)
      if (last?.role !== 'tool') return { toolCalls: [{ name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }
      return { text: /denied/i.test(JSON.stringify(last.content)) ? 'It stays.' : 'It is gone.' }
    },
    config: `platforms: {webhook: {enabled: true, extra: {host: 127.0.0.1, port: ${port}, secret: made-up-secret, routes: {ci: {prompt: "Clean up", ${deliver}}}}}}\n`,
    home: { '.env': 'TEST_ALLOWED_USERS=7,8\n' },
    work: { 'old/x': '' },
  })
  const chats = createTestPlatform({ buttons })
  const gateway = await startWith(chats, agent.context)
  return {
    chats,
    gateway,
    agent,
    bring: async (id: string) =>
      void (await fetch(`http://127.0.0.1:${port}/webhooks/ci`, {
        method: 'POST',
        body: '{}',
        headers: { 'x-gitlab-token': 'made-up-secret', 'idempotency-key': id },
      })),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}

const toRoom = 'deliver: test, deliver_extra: {chat_id: Room}'

test('consent for an event is asked for in the chat of its answer, by name, and given by who may speak there', async () => {
  await using all = await openCleaning(toRoom, false)
  const { chats } = all
  const inRoom = (userId: string) => ({ source: { chatId: 'Room', chatType: 'group', userId } }) as const
  await all.bring('one')
  await chats.waitForText(/The webhook "ci" \(one\) asks: recursive delete[^]*rm -rf \.\/old[^]*\/approve/)
  await chats.write('/approve', inRoom('66'))
  await chats.write('/approve', { source: { chatId: '7' } })
  await chats.waitForText(/Nothing waits for your consent/)
  await chats.write('/status', inRoom('8'))
  await chats.waitForText(/Waiting for your consent or answer: 1/)
  await chats.write('/approve', inRoom('8'))
  await chats.waitForText(/✅ Allowed \(The webhook "ci" \(one\)\)/)
  await chats.waitForText(/It is gone/)
  await all.bring('two')
  await chats.waitForText(/\(two\) asks/)
  await chats.write('/deny', inRoom('7'))
  await chats.waitForText(/⛔ Denied \(The webhook "ci" \(two\)\)/)
  await chats.waitForText(/It stays/)
})

test('buttons of an event’s question work in that chat alone, for who may speak there', async () => {
  await using all = await openCleaning(toRoom, true)
  await all.bring('one')
  await all.chats.waitForText(/asks: recursive delete/)
  assert.equal(await all.chats.press('Allow once', '66'), 'You may not decide this.')
  assert.equal(await all.chats.press('Allow once', '7'), 'Decided.')
  await all.chats.waitForText(/It is gone/)
  assert.equal(await all.chats.press('Allow once', '7'), 'This is decided already.')
})

test('an event whose answer goes to no chat is denied at once', async () => {
  await using all = await openCleaning('deliver: log', false)
  await all.bring('one')
  while (all.agent.model.requests.filter(({ body }) => body.tools).length < 2) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(all.chats.sent.length, 0)
})

test('conversations of events are no places that the agent is told it can write to', async () => {
  const port = await freePort()
  await using agent = await startScriptedAgent({
    script: (request) => {
      if (!request.body.tools) return { text: 'T' }
      const last = request.body.messages?.at(-1)
      if (last?.role === 'tool') return { text: String(last.content) }
      if (last?.content !== 'Where?') return { text: 'Seen.' }
      return { toolCalls: [{ name: 'send_message', arguments: { action: 'list' } }] }
    },
    config: `tools: {search: never}\nplatforms: {webhook: {enabled: true, extra: {host: 127.0.0.1, port: ${port}, secret: made-up-secret, routes: {ci: {prompt: Look, ${toRoom}}}}}}\n`,
    home: { '.env': 'TEST_ALLOWED_USERS=7\n' },
  })
  const chats = createTestPlatform()
  await using _gateway = await startWith(chats, agent.context)
  await fetch(`http://127.0.0.1:${port}/webhooks/ci`, {
    method: 'POST',
    body: '{}',
    headers: { 'x-gitlab-token': 'made-up-secret', 'idempotency-key': 'one' },
  })
  await chats.waitForText(/^Seen\.$/)
  await chats.write('Where?')
  await chats.waitForText(/"success":true/)
  const told = chats.sent.at(-1)?.text ?? ''
  assert.match(told, /"target":"test:7"/)
  assert.doesNotMatch(told, /webhook/)
})
