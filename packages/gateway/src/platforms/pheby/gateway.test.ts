import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PhebyEvent } from '@hermes/protocol/pheby/types.ts'
import type { TestClient } from './test-client.ts'
import { openTestPheby } from './test-pheby.ts'

/** What a client was told of a conversation since event `from`, in short. */
function told({ events }: TestClient, from = 0): string[] {
  return events.slice(from).flatMap((event: PhebyEvent) => {
    if (event.type === 'message.delta') return []
    if (event.type === 'run.finished') return [`${event.type} ${event.status}`]
    if (event.type === 'tool.event') return [`${event.type} ${event.status}`]
    return [event.type]
  })
}

test('a message is answered by one run, in the order of the protocol, and is in the history after it', async () => {
  await using all = await openTestPheby({
    script: (request) => ({
      text: request.body.tools ? ['It is ', 'warm ', 'and sunny.'] : 'Weather',
      chunkDelayMs: 250,
    }),
  })
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  const from = client.events.length
  const accepted = await client.answer({ type: 'chat.send', conversation_id: id, text: 'How is it?' }, 'run.accepted')
  await client.event('run.finished', undefined, from)
  assert.deepEqual(
    told(client, from).filter((type) => type !== 'conversation.updated'),
    ['run.accepted', 'message.start', 'message.complete', 'run.finished completed'],
  )
  const deltas = client.events.filter((event) => event.type === 'message.delta').map(({ text }) => text)
  assert.ok(deltas.length > 0, 'drafts came')
  for (const [at, text] of deltas.entries()) assert.ok(text.startsWith(deltas[at - 1] ?? ''), 'drafts are cumulative')
  const complete = client.events.find((event) => event.type === 'message.complete')
  assert.equal(complete?.text, 'It is warm and sunny.')
  assert.equal(complete?.message_id, `draft-${accepted.run_id}`)
  const history = await client.answer({ type: 'conversation.open', conversation_id: id }, 'conversation.history')
  assert.deepEqual(
    history.messages.map(({ role, text }) => [role, text]),
    [
      ['user', 'How is it?'],
      ['assistant', 'It is warm and sunny.'],
    ],
  )
  assert.equal(history.run, null)
})

test('a run whose turn breaks again and again ends, and the next message is taken', { timeout: 60_000 }, async () => {
  await using all = await openTestPheby({ script: (request) => ({ text: request.body.tools ? 'Here.' : 'T' }) })
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  const { settings } = all.host.chats
  const before = { ...settings }
  Object.assign(settings, { all: () => Promise.reject(new Error('the settings of this chat are broken')) })
  const from = client.events.length
  await client.answer({ type: 'chat.send', conversation_id: id, text: 'Are you there?' }, 'run.accepted')
  const finished = await client.event('run.finished', undefined, from)
  assert.equal(finished.status, 'failed')
  assert.deepEqual(told(client, from), ['run.accepted', 'message.start', 'message.complete', 'run.finished failed'])
  Object.assign(settings, before)
  const again = client.events.length
  await client.answer({ type: 'chat.send', conversation_id: id, text: 'And now?' }, 'run.accepted')
  assert.equal((await client.event('run.finished', undefined, again)).status, 'completed')
})
