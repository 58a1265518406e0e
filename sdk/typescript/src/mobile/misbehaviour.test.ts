import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { WebSocketServer } from 'ws'
import type { WebSocket } from 'ws'
import { PhebyClient } from '../pheby/client.ts'
import { HermesMobileClient } from './client.ts'

const ready = JSON.stringify({ t: 'ready', v: 1, session: 's', device: {}, avatar_url: '', capabilities: {} })

/** A server that says what it wants, frame or not. */
async function serve(play: (socket: WebSocket, frame: Readonly<Record<string, unknown>>) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => play(socket, JSON.parse(data.toString('utf8')) as Record<string, unknown>))
  })
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`,
    async [Symbol.asyncDispose]() {
      for (const client of server.clients) client.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const odd = [null, true, -1, 1e9, 0.5, '', '%%%', [], [null], {}, '__proto__']
const kinds = ['ready', 'message', 'typing', 'avatar', 'prompt', 'prompt_done', 'media', 'error', 'pong', '__proto__']
const oddFrames = [
  '[',
  '['.repeat(100_000),
  ...odd.map((value) => JSON.stringify(value)),
  ...odd.flatMap((value, at) =>
    kinds.flatMap((t) =>
      ['id', 'text', 'data', 'part', 'parts', 'options', 'state', 'code', 'index'].map((key) =>
        JSON.stringify({ t, id: `${at} ${key}`, part: 0, parts: 2, data: 'AAAA', [key]: value }),
      ),
    ),
  ),
]

test('no frame of a server breaks the client: it goes on with the next', async () => {
  await using server = await serve((socket, { t, ts }) => {
    if (t === 'ping') socket.send(JSON.stringify({ t: 'pong', ts }))
    if (t !== 'hello') return
    for (const frame of [ready, ...oddFrames, JSON.stringify({ t: 'avatar', state: 'the end' })]) socket.send(frame)
  })
  await using client = new HermesMobileClient(server.url, 'token')
  const errors: string[] = []
  const isOver = Promise.withResolvers<void>()
  client.on('error', ({ code }) => errors.push(code))
  client.on('avatar', (state) => state === 'the end' && isOver.resolve())
  await client.connect()
  await isOver.promise
  assert.ok(errors.includes('bad_frame'), 'what cannot be read is told')
})

test('no event of a server breaks the Pheby client, as the first one or later', async () => {
  const events = [null, [], 1, {}, ...['error', 'run.finished', 'ready', 'x'].map((type) => ({ type }))]
  for (const first of events) {
    await using server = await serve((socket, frame) => {
      if (frame['type'] === 'hello') socket.send(JSON.stringify(first))
    })
    const isReady = JSON.stringify(first) === '{"type":"ready"}'
    await using client = new PhebyClient(server.url, 'secret', { requestTimeoutMs: isReady ? 30_000 : 100 })
    if (isReady) await client.connect()
    else await assert.rejects(client.connect())
  }
  await using server = await serve((socket, { type, request_id: id }) => {
    if (type === 'hello') socket.send('{"type":"ready"}')
    for (const event of events) socket.send(JSON.stringify(event))
    if (type !== 'hello') socket.send(JSON.stringify({ type: 'error', request_id: id }))
  })
  await using client = new PhebyClient(server.url, 'secret')
  await client.connect()
  await assert.rejects(client.ping(), { code: 'internal_error' })
})

test('a handler of errors that fails is not told of itself', async () => {
  await using server = await serve((socket, { t }) => {
    if (t !== 'hello') return
    socket.send(ready)
    socket.send(JSON.stringify({ t: 'error', code: 'internal', message: 'x', fatal: false }))
    socket.send(JSON.stringify({ t: 'avatar', state: 'idle' }))
  })
  for (const asks of [false, true]) {
    await using client = new HermesMobileClient(server.url, 'token')
    let calls = 0
    client.on('error', () => {
      calls++
      if (asks) return calls > 100 ? undefined : Promise.reject(new Error('mine'))
      throw new Error('mine')
    })
    await client.connect()
    await client.waitAvatar()
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(calls, 1)
  }
})

for (const code of ['rate_limited', 'internal']) {
  test(`what the server does not take (${code}) goes again, until all of it is there`, async () => {
    const taken: string[] = []
    let room = 3
    await using server = await serve((socket, { t, id, ts }) => {
      if (t === 'hello') socket.send(ready)
      if (t === 'ping') socket.send(JSON.stringify({ t: 'pong', ts }))
      if (t !== 'text' || taken.includes(String(id))) return
      if (room-- > 0) taken.push(String(id))
      else socket.send(JSON.stringify({ t: 'error', code, message: 'Not now', fatal: false }))
    })
    await using client = new HermesMobileClient(server.url, 'token')
    await client.connect()
    const refused = new Promise((resolve) => client.on('error', resolve))
    const ids = await Promise.all(Array.from({ length: 8 }, (_, at) => client.sendText(`message ${at}`)))
    await refused
    room = 100
    while (taken.length < ids.length) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepEqual(taken, ids, 'in their order')
  })
}
