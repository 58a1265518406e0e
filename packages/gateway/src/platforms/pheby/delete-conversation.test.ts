import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openTestPheby } from './test-pheby.ts'

test('a message that is sent while its conversation is deleted is refused or stopped, and nothing of it stays', async () => {
  await using all = await openTestPheby({ script: () => ({ text: 'Hello.' }) })
  const client = await all.connect()
  // Places between the first look for the conversation and the turn.
  for (const steps of [0, 0, 1, 2, 3, 5, 8, 13, 21]) {
    const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
    const from = client.events.length
    const sent = client.ask({ type: 'chat.send', conversation_id: id, text: 'hi' })
    for (let step = 0; step < steps; step++) await new Promise((resolve) => setImmediate(resolve))
    await client.answer({ type: 'conversation.delete', conversation_id: id }, 'conversation.deleted')
    const answer = await sent
    assert.ok(answer.type === 'run.accepted' || answer.type === 'error', answer.type)
    while (all.gateway.busy > 0) await wait(5)
    await client.answer({ type: 'ping' }, 'pong')
    const ofIt = client.events
      .slice(from)
      .filter((event) => 'conversation_id' in event && event.conversation_id === id)
      .map(({ type }) => type)
    assert.equal(ofIt.at(-1), 'conversation.deleted', `after ${steps} steps: ${ofIt.join(', ')}`)
  }
  assert.deepEqual(await all.host.chats.sessions.all(), [])
})
