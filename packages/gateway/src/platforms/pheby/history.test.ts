import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestPheby } from './test-pheby.ts'

test('a history has the newest messages: 200, or as many as are asked for up to 500', async () => {
  await using all = await openTestPheby({ script: () => ({ text: 'hi!' }) })
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  await client.ask({ type: 'chat.send', conversation_id: id, text: 'hey' })
  await client.event('run.finished', undefined, 0)
  const [session] = await all.agent.context.sessions.list()
  assert.ok(session)
  for (let at = 0; at < 520; at++) {
    await all.agent.context.sessions.append(session.id, { role: 'user', content: `said ${at}` })
  }
  for (const [limit, count] of [
    [undefined, 200],
    [3, 3],
    [500, 500],
    [501, 500],
    [1_000_000, 500],
  ] as const) {
    const open = { type: 'conversation.open', conversation_id: id, ...(limit && { limit }) } as const
    const { messages } = await client.answer(open, 'conversation.history')
    assert.deepEqual(
      messages.map(({ text }) => text),
      Array.from({ length: count }, (_, at) => `said ${520 - count + at}`),
      String(limit),
    )
  }
  const none = await client.answer({ type: 'conversation.open', conversation_id: id, limit: 0 }, 'error')
  assert.equal(none.error.code, 'bad_request')
})
