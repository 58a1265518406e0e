import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startScriptedServer } from '../scripted-server.fixture.ts'
import type { Peer } from '../scripted-server.fixture.ts'
import { PhebyClient, PhebyError } from './client.ts'

const ready = { type: 'ready', protocol_version: 1, server: 'pheby', ts: '2026-09-02T18:00:00+00:00' }

type Frame = Readonly<Record<string, unknown>>

async function open(play: (frame: Frame, peer: Peer) => void, requestTimeoutMs = 30_000) {
  const server = await startScriptedServer((frame, peer) => {
    if (frame['type'] === 'hello') peer.send(ready)
    else play(frame, peer)
  })
  const client = new PhebyClient(server.url, 'secret', { reconnect: { initialMs: 5, maxMs: 20 }, requestTimeoutMs })
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('it says hello; each request has an id and resolves to its own answer, whatever comes between', async () => {
  const waiting: Frame[] = []
  await using all = await open((frame, peer) => {
    waiting.push(frame)
    if (waiting.length < 2) return
    peer.send({ type: 'conversation.updated', conversation_id: 'c', name: 'N' })
    for (const { type, request_id, name } of waiting.toReversed()) {
      if (type === 'conversation.create')
        peer.send({ type: 'conversation.created', conversation_id: 'c', name, request_id })
      else peer.send({ type: 'error', request_id, error: { code: 'conversation_not_found', message: 'No' }, ts: '' })
    }
  })
  await all.client.connect()
  const events: string[] = []
  all.client.on('conversation.updated', ({ name }) => events.push(name))
  const made = all.client.createConversation('N')
  const refused = all.client.openConversation('x', 5)
  await assert.rejects(refused, (error) => error instanceof PhebyError && error.code === 'conversation_not_found')
  assert.equal((await made).conversation_id, 'c')
  assert.deepEqual(events, ['N'])
  const [hello, ...requests] = (await all.server.peer(0)).frames
  assert.deepEqual(hello, { type: 'hello', secret: 'secret', protocol_version: 1 })
  assert.deepEqual(
    requests.map(({ request_id: _id, ...rest }) => rest),
    [
      { type: 'conversation.create', name: 'N' },
      { type: 'conversation.open', conversation_id: 'x', limit: 5 },
    ],
  )
  assert.equal(new Set(requests.map(({ request_id: id }) => id)).size, 2)
})

test('each method sends its request', async () => {
  await using all = await open((frame, peer) => {
    const type = frame['type'] === 'run.cancel' ? 'run.finished' : 'pong'
    peer.send({
      type,
      request_id: type === 'pong' ? frame['request_id'] : undefined,
      run_id: frame['run_id'],
      status: 'cancelled',
    })
  })
  const { client } = all
  await client.connect()
  await client.listConversations()
  await client.renameConversation('c', 'M')
  await client.deleteConversation('c')
  await client.send('c', 'hi')
  assert.equal((await client.cancel('c', 'run1')).run_id, 'run1')
  await client.respondApproval('a', 'deny', 'no')
  await client.respondClarify('q', 'blue')
  await client.listModels()
  await client.currentModel('c')
  await client.setModel('m', { provider: 'p', conversationId: 'c' })
  await client.currentReasoning()
  await client.setReasoning('high', 'c')
  await client.ping()
  const frames = (await all.server.peer(0)).frames.slice(1).map(({ request_id: _id, ...frame }) => frame)
  assert.deepEqual(frames, [
    { type: 'conversation.list' },
    { type: 'conversation.rename', conversation_id: 'c', name: 'M' },
    { type: 'conversation.delete', conversation_id: 'c' },
    { type: 'chat.send', conversation_id: 'c', text: 'hi' },
    { type: 'run.cancel', conversation_id: 'c', run_id: 'run1' },
    { type: 'approval.respond', approval_id: 'a', choice: 'deny', reason: 'no' },
    { type: 'clarify.respond', clarify_id: 'q', response: 'blue' },
    { type: 'models.list' },
    { type: 'models.current', conversation_id: 'c' },
    { type: 'model.set', model: 'm', provider: 'p', conversation_id: 'c' },
    { type: 'reasoning.current' },
    { type: 'reasoning.set', effort: 'high', conversation_id: 'c' },
    { type: 'ping' },
  ])
})

test('after a lost connection open requests fail, and watched conversations come as snapshots before what follows', async () => {
  const opened: number[] = []
  await using all = await open((frame, peer) => {
    if (frame['type'] !== 'conversation.open') return
    const at = all.server.peers.indexOf(peer)
    opened.push(at)
    if (frame['conversation_id'] === 'gone' && at > 0) {
      peer.send({
        type: 'error',
        request_id: frame['request_id'],
        error: { code: 'conversation_not_found', message: '' },
        ts: '',
      })
      return
    }
    peer.send({
      type: 'conversation.history',
      conversation_id: frame['conversation_id'],
      request_id: frame['request_id'],
      messages: [],
      attachments: [],
      run: null,
      tools: [],
      approvals: [],
      clarifications: [],
    })
    peer.send({ type: 'message.delta', conversation_id: frame['conversation_id'], message_id: 'm', text: 'x', ts: '' })
  })
  const { client, server } = all
  const told: string[] = []
  client.on('conversation.history', ({ conversation_id: id }) => told.push(`history ${id}`))
  client.on('message.delta', ({ conversation_id: id }) => told.push(`delta ${id}`))
  const stream = client[Symbol.asyncIterator]()
  await client.connect()
  await client.watchConversation('c1')
  await client.watchConversation('gone')
  const lost = client.send('c1', 'hi')
  ;(await server.peer(0)).drop()
  await assert.rejects(lost, (error) => error instanceof PhebyError && error.code === 'disconnected')
  await server.peer(1)
  for (let event = await stream.next(); told.length < 6 && !event.done;) event = await stream.next()
  assert.deepEqual(told, ['history c1', 'delta c1', 'history gone', 'delta gone', 'history c1', 'delta c1'])
  ;(await server.peer(1)).drop()
  const third = await server.peer(2)
  await third.next(({ type }) => type === 'conversation.open')
  assert.deepEqual(
    opened.filter((at) => at === 2),
    [2],
    'the one that is gone is not asked for again',
  )
})

test('a wrong secret is told and not tried again; a request that nobody answers ends', async () => {
  let code = 'unauthorized'
  await using server = await startScriptedServer((frame, peer) => {
    if (frame['type'] !== 'hello') return
    if (code === '') return peer.send(ready)
    peer.send({ type: 'error', error: { code, message: 'no' }, ts: '' })
    peer.drop(1008)
  })
  const client = new PhebyClient(server.url, 'wrong', { reconnect: { initialMs: 5 }, requestTimeoutMs: 50 })
  await assert.rejects(client.connect(), (error) => error instanceof PhebyError && error.code === 'unauthorized')
  await assert.rejects(client.ping(), (error) => error instanceof PhebyError && error.code === 'disconnected')
  code = ''
  await client.connect()
  await assert.rejects(client.ping(), (error) => error instanceof PhebyError && error.code === 'timeout')
  const ended = new Promise<PhebyError | undefined>((resolve) =>
    client.on('disconnected', (error) => error && resolve(error)),
  )
  code = 'unauthorized'
  server.peers.at(-1)?.drop()
  assert.equal((await ended)?.code, 'unauthorized')
  await client.close()
})

test('attachments are fetched from the same host with the secret', async () => {
  const server = createServer((request, response) => {
    const isKnown = request.url === '/attachments/e5' && request.headers.authorization === 'Bearer secret'
    response.writeHead(isKnown ? 200 : 404).end(isKnown ? 'bytes' : '{}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const client = new PhebyClient(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`, 'secret')
  assert.equal(await (await client.downloadAttachment({ download_path: '/attachments/e5' })).text(), 'bytes')
  await assert.rejects(
    client.downloadAttachment({ download_path: '/attachments/none' }),
    (error) => error instanceof PhebyError && error.code === 'not_found',
  )
  server.close()
})

test('what another client was answered is no answer to ours', async () => {
  const ids: unknown[] = []
  await using all = await open((frame, peer) => {
    ids.push(frame['request_id'])
    if (ids.length < 2) return
    for (const other of all.server.peers) {
      other.send({ type: 'approval.resolved', approval_id: 'a', choice: 'once', accepted: true, request_id: ids[0] })
    }
    peer.send({ type: 'pong', request_id: frame['request_id'], ts: '' })
  })
  const second = new PhebyClient(all.server.url, 'secret')
  await Promise.all([all.client.connect(), second.connect()])
  const [resolved, pong] = await Promise.all([all.client.respondApproval('a', 'once'), second.ping()])
  assert.deepEqual([resolved.type, pong.type], ['approval.resolved', 'pong'])
  await second.close()
})

test('a handler that throws stops no other one, and is told', async () => {
  await using all = await open((frame, peer) => peer.send({ type: 'pong', request_id: frame['request_id'], ts: '' }))
  const failures: unknown[] = []
  let called = 0
  all.client.on('pong', () => {
    throw new Error('broken')
  })
  all.client.on('pong', () => called++)
  all.client.on('handlerFailed', (failure) => {
    failures.push(failure)
    throw new Error('broken too')
  })
  await all.client.connect()
  await all.client.ping()
  assert.equal(called, 1)
  assert.deepEqual(
    failures.map((failure) => String((failure as { error: unknown }).error)),
    ['Error: broken'],
  )
})
