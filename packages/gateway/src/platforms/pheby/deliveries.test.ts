import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceOf } from './pheby.ts'
import { openTestPheby } from './test-pheby.ts'

const signal = () => AbortSignal.timeout(30_000)

test('what a job brings to the home conversation is a run of its own, and in the history for those who were away', async () => {
  await using all = await openTestPheby()
  const client = await all.connect()
  const chat = await all.gateway.courier.find('pheby')
  assert.equal(chat?.chatId, 'home')
  await all.gateway.courier.deliver({ key: 'cron:1', chat, text: 'It is nine.' }, signal())
  const accepted = await client.event('run.accepted', undefined, 0)
  await client.event('run.finished', undefined, 0)
  assert.deepEqual(
    client.events.slice(1).map(({ type }) => type),
    ['conversation.updated', 'run.accepted', 'message.start', 'message.complete', 'run.finished'],
  )
  assert.deepEqual(accepted, { type: 'run.accepted', conversation_id: 'home', run_id: accepted.run_id })
  const late = await all.connect()
  const { messages } = await late.answer({ type: 'conversation.open', conversation_id: 'home' }, 'conversation.history')
  assert.deepEqual(
    messages.map(({ role, text }) => [role, text]),
    [['assistant', 'It is nine.']],
  )
  const { conversations } = await late.answer({ type: 'conversation.list' }, 'conversation.snapshot')
  assert.deepEqual(
    conversations.map(({ conversation_id: id, session_id: session }) => [id, session]),
    [['home', null]],
  )
})

test('what comes while a run goes on is a message beside it, and stands in the history where it came', async () => {
  const release = Promise.withResolvers<void>()
  await using all = await openTestPheby({
    script: async (request) => {
      if (request.body.tools) await release.promise
      return { text: request.body.tools ? 'The answer.' : 'T' }
    },
  })
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  await client.answer({ type: 'chat.send', conversation_id: id, text: 'hi' }, 'run.accepted')
  const chat = { platform: 'pheby', chatId: id, chatType: 'dm' } as const
  await all.gateway.courier.deliver({ key: 'cron:2', chat, text: 'By the way.' }, signal())
  const beside = await client.event('message.complete', undefined, 0)
  assert.deepEqual([beside.text, beside.kind], ['By the way.', undefined])
  assert.equal(client.events.filter(({ type }) => type === 'run.accepted').length, 1)
  release.resolve()
  await client.event('run.finished', undefined, 0)
  const { messages } = await client.answer({ type: 'conversation.open', conversation_id: id }, 'conversation.history')
  assert.deepEqual(messages.map(({ text }) => text).toSorted(), ['By the way.', 'The answer.', 'hi'].toSorted())
})

test('nothing is brought to a conversation that was deleted', async () => {
  await using all = await openTestPheby()
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  await client.answer({ type: 'conversation.delete', conversation_id: id }, 'conversation.deleted')
  const chat = { platform: 'pheby', chatId: id, chatType: 'dm' } as const
  await assert.rejects(all.gateway.courier.deliver({ key: 'cron:3', chat, text: 'Hello?' }, signal()), /deleted/)
  const notice = await client.event('message.complete', undefined, 0)
  assert.deepEqual([notice.conversation_id, notice.kind], ['home', 'notice'], 'it is told where notices go')
  const { conversations } = await client.answer({ type: 'conversation.list' }, 'conversation.snapshot')
  assert.deepEqual(
    conversations.map(({ conversation_id }) => conversation_id),
    ['home'],
  )
})

test('a slash command is a run whose answer is a notice', async () => {
  await using all = await openTestPheby()
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  const from = client.events.length
  await client.answer({ type: 'chat.send', conversation_id: id, text: '/help' }, 'run.accepted')
  await client.event('run.finished', undefined, from)
  const events = client.events.slice(from).filter(({ type }) => type !== 'conversation.updated')
  assert.deepEqual(
    events.map(({ type }) => type),
    ['run.accepted', 'message.start', 'message.complete', 'run.finished'],
  )
  const complete = events.find((event) => event.type === 'message.complete')
  assert.equal(complete?.kind, 'notice')
  assert.match(complete?.text ?? '', /\/model/)
})

test('/retry answers the last message anew, in one run', async () => {
  let count = 0
  await using all = await openTestPheby({
    script: (request) => ({ text: request.body.tools ? `Answer ${++count}` : 'T' }),
  })
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  await client.answer({ type: 'chat.send', conversation_id: id, text: 'hi' }, 'run.accepted')
  await client.event('run.finished', undefined, 0)
  const from = client.events.length
  const { run_id: runId } = await client.answer(
    { type: 'chat.send', conversation_id: id, text: '/retry' },
    'run.accepted',
  )
  const finished = await client.event('run.finished', undefined, from)
  assert.deepEqual([finished.run_id, finished.status], [runId, 'completed'])
  const complete = await client.event('message.complete', ({ kind }) => kind === undefined, from)
  assert.deepEqual([complete.text, complete.message_id], ['Answer 2', `draft-${runId}`])
  const { messages } = await client.answer({ type: 'conversation.open', conversation_id: id }, 'conversation.history')
  assert.deepEqual(
    messages.map(({ text }) => text),
    ['hi', 'Answer 2'],
  )
})

test('a turn that no request asked for is a run of its own, while which no other begins', async () => {
  const release = Promise.withResolvers<void>()
  await using all = await openTestPheby({
    script: async (request) => {
      if (request.body.tools) await release.promise
      return { text: request.body.tools ? 'The build is done.' : 'T' }
    },
  })
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  const from = client.events.length
  await all.host.submit({
    eventId: 'process-1',
    source: sourceOf(id),
    text: '[SYSTEM: the background process has ended]',
    attachments: [],
    sentAt: Date.now(),
    isInternal: true,
  })
  const accepted = await client.event('run.accepted', undefined, from)
  assert.equal(accepted.request_id, undefined)
  const busy = await client.answer({ type: 'chat.send', conversation_id: id, text: 'hi' }, 'error')
  assert.equal(busy.error.code, 'run_active')
  release.resolve()
  const complete = await client.event('message.complete', undefined, from)
  assert.deepEqual([complete.message_id, complete.text], [`draft-${accepted.run_id}`, 'The build is done.'])
  const finished = await client.event('run.finished', undefined, from)
  assert.deepEqual([finished.run_id, finished.status], [accepted.run_id, 'completed'])
})

test('a conversation that nobody has named gets a name by itself, and clients are told', async () => {
  await using all = await openTestPheby({ script: (request) => ({ text: request.body.tools ? 'Hi.' : 'Greetings' }) })
  const client = await all.connect()
  const { conversation_id: id, name } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  assert.equal(name, 'New chat')
  await client.answer({ type: 'chat.send', conversation_id: id, text: 'hello' }, 'run.accepted')
  const updated = await client.event('conversation.updated', (event) => event.name !== 'New chat', 0)
  assert.deepEqual(updated, { type: 'conversation.updated', conversation_id: id, name: 'Greetings' })
})

test('a conversation that is deleted in mid-run stops it, and nothing comes after', async () => {
  await using all = await openTestPheby({
    script: (request) => ({ text: request.body.tools ? ['One ', 'two'] : 'T', chunkDelayMs: 20_000 }),
  })
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  await client.answer({ type: 'chat.send', conversation_id: id, text: 'Count' }, 'run.accepted')
  await client.answer({ type: 'conversation.delete', conversation_id: id }, 'conversation.deleted')
  const ends = client.events.filter((event) => event.type === 'run.finished')
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['cancelled'],
  )
  const { conversations } = await client.answer({ type: 'conversation.list' }, 'conversation.snapshot')
  assert.deepEqual(conversations, [])
  assert.deepEqual(await all.agent.context.sessions.list(), [])
})
