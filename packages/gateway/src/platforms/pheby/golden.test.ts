import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Script } from '@hermes/testing/scripted-model/answer.ts'
import type { Ask, TestClient } from './test-client.ts'
import { connectTestClient } from './test-client.ts'
import { openTestPheby, secret } from './test-pheby.ts'
import { createNaming } from './test-transcript.ts'

/** Answers of the model, one for each call of a turn; titles are apart. */
function answers(...list: Extract<Script, readonly unknown[]>): Script {
  let at = 0
  return (request) => (request.body.tools ? (list[at++] ?? { text: 'No more.' }) : { text: 'A title' })
}

/** A client, its transcript and what it takes to go on in it. */
async function open(options: Parameters<typeof openTestPheby>[0] = {}) {
  await using opening = new AsyncDisposableStack()
  const all = opening.use(await openTestPheby(options))
  const client = await all.connect()
  const name = createNaming()
  opening.move()
  return Object.assign(all, {
    client,
    /** Asks, waits for an event of that type, and gives everything that came, with names for ids. */
    async exchange(request: Ask | undefined, last: string, one: TestClient = client): Promise<unknown> {
      const from = one.events.length
      if (request) await one.ask(request)
      while (!one.events.slice(from).some(({ type }) => type === last)) {
        await one.event(last as 'ready', undefined, from)
      }
      return name(one.events.slice(from).filter(({ type }) => type !== 'message.delta'))
    },
    async conversation(): Promise<string> {
      const created = await client.answer({ type: 'conversation.create', name: 'Tests' }, 'conversation.created')
      await client.event('conversation.updated', undefined, 0)
      name(created)
      return created.conversation_id
    },
  })
}

test('handshake and heartbeat', async () => {
  await using all = await openTestPheby()
  const client = await connectTestClient(all.url)
  const name = createNaming()
  assert.deepEqual(name(await client.ask({ type: 'hello', secret, protocol_version: 1 }, 'optional')), {
    type: 'ready',
    protocol_version: 1,
    server: 'pheby',
    request_id: 'optional',
    ts: 'time',
  })
  client.send({ type: 'ping' })
  assert.deepEqual(name(await client.event('pong')), { type: 'pong', ts: 'time' })
  assert.deepEqual(name(await client.ask({ type: 'ping' }, 'p')), { type: 'pong', request_id: 'p', ts: 'time' })
  assert.deepEqual(name(await client.ask({ type: 'hello', secret, protocol_version: 1 }, 'again')), {
    type: 'error',
    request_id: 'again',
    error: { code: 'bad_request', message: 'This connection has signed in' },
    ts: 'time',
  })
})

test('conversations: create, list, open, rename, delete', async () => {
  await using all = await open({ script: answers({ text: 'hi!' }) })
  const other = await all.connect()
  assert.deepEqual(await all.exchange({ type: 'conversation.list' }, 'conversation.snapshot'), [
    { type: 'conversation.snapshot', request_id: 'r2', conversations: [] },
  ])
  assert.deepEqual(await all.exchange({ type: 'conversation.create', name: ' New chat ' }, 'conversation.updated'), [
    { type: 'conversation.created', conversation_id: 'conversation-1', name: 'New chat', request_id: 'r3' },
    { type: 'conversation.updated', conversation_id: 'conversation-1', name: 'New chat' },
  ])
  const { conversation_id: id } = await other.event('conversation.updated', undefined, 0)
  assert.match(id, /^[0-9a-f]{32}$/)
  assert.deepEqual(await all.exchange({ type: 'conversation.open', conversation_id: id }, 'conversation.history'), [
    {
      type: 'conversation.history',
      conversation_id: 'conversation-1',
      request_id: 'r4',
      messages: [],
      attachments: [],
      run: null,
      tools: [],
      approvals: [],
      clarifications: [],
    },
  ])
  await all.exchange({ type: 'chat.send', conversation_id: id, text: 'hey' }, 'run.finished')
  const renamed = { type: 'conversation.renamed', conversation_id: 'conversation-1', name: 'Renamed' }
  assert.deepEqual(
    await all.exchange({ type: 'conversation.rename', conversation_id: id, name: 'Renamed' }, 'conversation.renamed'),
    [{ ...renamed, request_id: 'r6' }, renamed],
  )
  assert.deepEqual(
    { ...(await other.event('conversation.renamed', undefined, 0)), conversation_id: 'conversation-1' },
    renamed,
  )
  const [history] = (await all.exchange(
    { type: 'conversation.open', conversation_id: id, limit: 200 },
    'conversation.history',
  )) as [{ messages: unknown }]
  assert.deepEqual(history.messages, [
    { message_id: 'message-1', role: 'user', text: 'hey', ts: 'time' },
    { message_id: 'message-2', role: 'assistant', text: 'hi!', ts: 'time' },
  ])
  assert.deepEqual(await all.exchange({ type: 'conversation.list' }, 'conversation.snapshot'), [
    {
      type: 'conversation.snapshot',
      request_id: 'r8',
      conversations: [
        {
          conversation_id: 'conversation-1',
          name: 'Renamed',
          session_id: 'session-1',
          last_active: 'time',
          source: 'hermes',
        },
      ],
    },
  ])
  const stored = all.agent.context.sessions
  const [session] = await stored.list()
  assert.ok(session)
  assert.deepEqual(await all.exchange({ type: 'conversation.delete', conversation_id: id }, 'conversation.deleted'), [
    { type: 'conversation.deleted', conversation_id: 'conversation-1', request_id: 'r9' },
  ])
  assert.equal(await stored.get(session.id), undefined, 'the transcript is gone')
  await other.event('conversation.deleted', undefined, 0)
  const gone = await all.client.answer({ type: 'conversation.open', conversation_id: id }, 'error')
  assert.deepEqual(gone.error, { code: 'conversation_not_found', message: 'Conversation not found' })
})

test('a run with a tool: its events, and the same in the snapshot while it goes on', async () => {
  await using all = await open({
    script: answers(
      {
        text: 'Let me look.',
        toolCalls: [{ id: 't-1', name: 'read_file', arguments: { path: 'note.txt' } }],
      },
      { text: 'It says hello.' },
    ),
    work: { 'note.txt': 'hello' },
  })
  const id = await all.conversation()
  assert.deepEqual(
    await all.exchange({ type: 'chat.send', conversation_id: id, text: 'What does the note say?' }, 'run.finished'),
    [
      { type: 'run.accepted', conversation_id: 'conversation-1', run_id: 'run-1', request_id: 'r3' },
      { type: 'message.start', conversation_id: 'conversation-1', run_id: 'run-1', message_id: 'draft-run-1' },
      {
        type: 'tool.event',
        conversation_id: 'conversation-1',
        run_id: 'run-1',
        tool_call_id: 't-1',
        tool_name: 'read_file',
        status: 'running',
        args_redacted: { path: 'note.txt', offset: 1, limit: 500 },
        ts: 'time',
      },
      {
        type: 'tool.event',
        conversation_id: 'conversation-1',
        run_id: 'run-1',
        tool_call_id: 't-1',
        tool_name: 'read_file',
        status: 'completed',
        duration_ms: 'ms',
        ts: 'time',
      },
      {
        type: 'message.complete',
        conversation_id: 'conversation-1',
        message_id: 'draft-run-1',
        text: 'It says hello.',
        ts: 'time',
      },
      { type: 'run.finished', conversation_id: 'conversation-1', run_id: 'run-1', status: 'completed' },
    ],
  )
  const last = all.client.events.findLast((event) => event.type === 'message.delta')
  assert.ok(last === undefined || 'Let me look.\n\nIt says hello.'.startsWith(last.text), last?.text)
})

test('a tool that fails says why', async () => {
  await using all = await open({
    script: answers(
      { toolCalls: [{ id: 't-1', name: 'read_file', arguments: { path: 'nothing.txt' } }] },
      { text: 'No.' },
    ),
  })
  const id = await all.conversation()
  await all.exchange({ type: 'chat.send', conversation_id: id, text: 'Read it' }, 'run.finished')
  const failed = await all.client.event('tool.event', ({ status }) => status === 'failed', 0)
  assert.ok(failed.error !== undefined && failed.error.length > 0 && failed.error.length <= 501)
  assert.ok(typeof failed.duration_ms === 'number')
})

const cleaning = () =>
  answers({ toolCalls: [{ id: 't-1', name: 'terminal', arguments: { command: 'rm -rf ./old' } }] }, { text: 'Done.' })

test('an approval is asked, is in the snapshot, and one broadcast tells how it was decided', async () => {
  await using all = await open({ script: cleaning(), work: { 'old/a.txt': 'a' } })
  const id = await all.conversation()
  const other = await all.connect()
  const [, , , asked] = (await all.exchange(
    { type: 'chat.send', conversation_id: id, text: 'Clean up' },
    'approval.request',
  )) as Record<string, unknown>[]
  const { description, ...rest } = asked ?? {}
  assert.ok(typeof description === 'string' && description.length > 0)
  assert.deepEqual(rest, {
    type: 'approval.request',
    approval_id: 'approval-1',
    session_key: 'agent:main:pheby:dm:conversation-1',
    conversation_id: 'conversation-1',
    run_id: 'run-1',
    command: 'rm -rf ./old',
    choices: ['once', 'session', 'always', 'deny'],
    ts: 'time',
  })
  const request = await all.client.event('approval.request', undefined, 0)
  const snapshot = await other.answer({ type: 'conversation.open', conversation_id: id }, 'conversation.history')
  assert.deepEqual(snapshot.approvals, [request])
  assert.equal(snapshot.run?.run_id, request.run_id)
  assert.deepEqual(
    snapshot.tools.map(({ status }) => status),
    ['running'],
  )
  const answer = { type: 'approval.respond', approval_id: request.approval_id, choice: 'once' } as const
  await other.ask(answer, 'mine')
  const resolved = {
    type: 'approval.resolved',
    approval_id: request.approval_id,
    choice: 'once',
    accepted: true,
    request_id: 'mine',
  }
  assert.deepEqual(await all.client.event('approval.resolved', undefined, 0), resolved)
  assert.equal(other.events.filter(({ type }) => type === 'approval.resolved').length, 1)
  const late = await all.client.answer(answer, 'error')
  assert.equal(late.error.code, 'approval_not_found')
  await all.client.event('run.finished', ({ status }) => status === 'completed', 0)
})

test('a denial with its reason reaches the agent', async () => {
  await using all = await open({ script: cleaning() })
  const id = await all.conversation()
  await all.client.ask({ type: 'chat.send', conversation_id: id, text: 'Clean up' })
  const { approval_id } = await all.client.event('approval.request', undefined, 0)
  await all.client.ask({ type: 'approval.respond', approval_id, choice: 'deny', reason: 'I need it for the audit' })
  await all.client.event('run.finished', undefined, 0)
  const sent = JSON.stringify(all.agent.model.requests.at(-1)?.body)
  assert.match(JSON.stringify(all.agent.model.requests.map(({ body }) => body)), /I need it for the audit/, sent)
  const failed = await all.client.event('tool.event', ({ status }) => status === 'failed', 0)
  assert.equal(failed.tool_call_id, 't-1')
})

test('an approval that nobody answers is denied, and clients are told', async () => {
  await using all = await open({ script: cleaning(), config: 'approvals: {gateway_timeout: 1}\n' })
  const id = await all.conversation()
  await all.client.ask({ type: 'chat.send', conversation_id: id, text: 'Clean up' })
  const { approval_id } = await all.client.event('approval.request', undefined, 0)
  assert.deepEqual(await all.client.event('approval.resolved', undefined, 0), {
    type: 'approval.resolved',
    approval_id,
    choice: 'deny',
    accepted: false,
  })
  const late = await all.client.answer({ type: 'approval.respond', approval_id, choice: 'once' }, 'error')
  assert.equal(late.error.code, 'approval_not_found')
})

test('a question is asked, and answered by a choice or by free text', async () => {
  await using all = await open({
    script: answers(
      {
        toolCalls: [
          { id: 't-1', name: 'clarify', arguments: { question: 'Where to?', choices: ['staging', 'production'] } },
        ],
      },
      { toolCalls: [{ id: 't-2', name: 'clarify', arguments: { question: 'What for?' } }] },
      { text: 'Deployed.' },
    ),
  })
  const id = await all.conversation()
  await all.client.ask({ type: 'chat.send', conversation_id: id, text: 'Deploy' })
  const first = await all.client.event('clarify.request', undefined, 0)
  assert.deepEqual(
    { ...first, clarify_id: '', ts: '', run_id: '' },
    {
      type: 'clarify.request',
      clarify_id: '',
      session_key: `agent:main:pheby:dm:${id}`,
      conversation_id: id,
      run_id: '',
      question: 'Where to?',
      choices: ['staging', 'production'],
      allow_free_text: true,
      ts: '',
    },
  )
  const snapshot = await all.client.answer({ type: 'conversation.open', conversation_id: id }, 'conversation.history')
  assert.deepEqual(snapshot.clarifications, [first])
  const from = all.client.events.length
  assert.deepEqual(
    await all.client.ask({ type: 'clarify.respond', clarify_id: first.clarify_id, response: 'production' }, 'c'),
    { type: 'clarify.resolved', clarify_id: first.clarify_id, accepted: true, request_id: 'c' },
  )
  const second = await all.client.event('clarify.request', undefined, from)
  assert.equal(second.choices, null)
  await all.client.ask({ type: 'clarify.respond', clarify_id: second.clarify_id, response: 'for the demo' })
  const stale = await all.client.answer(
    { type: 'clarify.respond', clarify_id: first.clarify_id, response: 'staging' },
    'error',
  )
  assert.equal(stale.error.code, 'clarify_not_found')
  await all.client.event('run.finished', undefined, from)
  const told = JSON.stringify(all.agent.model.requests.map(({ body }) => body))
  assert.match(told, /production/)
  assert.match(told, /for the demo/)
})

test('a run is cancelled once, and the conversation goes on', async () => {
  await using all = await open({
    script: answers(
      { text: ['One ', 'two ', 'three'], fault: { type: 'stall', afterChunks: 2 } },
      { text: 'Here again.' },
    ),
  })
  const id = await all.conversation()
  const { run_id } = await all.client.answer({ type: 'chat.send', conversation_id: id, text: 'Count' }, 'run.accepted')
  const busy = await all.client.answer({ type: 'chat.send', conversation_id: id, text: 'And this?' }, 'error')
  assert.equal(busy.error.code, 'run_active')
  const wrong = await all.client.answer({ type: 'run.cancel', conversation_id: id, run_id: 'another' }, 'error')
  assert.equal(wrong.error.code, 'not_found')
  await all.client.event('message.delta', undefined, 0)
  assert.deepEqual(await all.client.ask({ type: 'run.cancel', conversation_id: id, run_id }, 'stop'), {
    type: 'run.finished',
    conversation_id: id,
    run_id,
    status: 'cancelled',
    request_id: 'stop',
  })
  const again = await all.client.answer({ type: 'run.cancel', conversation_id: id, run_id }, 'error')
  assert.equal(again.error.code, 'not_found')
  const from = all.client.events.length
  await all.client.answer({ type: 'chat.send', conversation_id: id, text: 'Are you there?' }, 'run.accepted')
  await all.client.event('run.finished', ({ status }) => status === 'completed', from)
  const ends = all.client.events.filter((event) => event.type === 'run.finished')
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['cancelled', 'completed'],
  )
})

test('a run that fails keeps the order, and says why', async () => {
  await using all = await open({
    script: (request) =>
      request.body.tools ? { fault: { type: 'http', status: 401, message: 'no such key' } } : { text: 'T' },
  })
  const id = await all.conversation()
  const events = (await all.exchange({ type: 'chat.send', conversation_id: id, text: 'hi' }, 'run.finished')) as Record<
    string,
    unknown
  >[]
  assert.deepEqual(
    events.map(({ type }) => type),
    ['run.accepted', 'message.start', 'message.complete', 'run.finished'],
  )
  assert.equal(events[2]?.['kind'], 'notice')
  assert.equal(events[3]?.['status'], 'failed')
  assert.ok(String(events[3]?.['error']).length > 0)
})
