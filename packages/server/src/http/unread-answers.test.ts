import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { startHttpServer } from './server.ts'
import { createUnreadAnswers } from './unread-answers.ts'
import type { UnreadLimits } from './unread-answers.ts'

/** More than a connection takes that nobody reads from. */
const longBytes = 20_000_000

/** `/long` answers with so many bytes, `/late` only when it is let. */
async function open(limits: UnreadLimits) {
  const unread = createUnreadAnswers(limits)
  const answered = Promise.withResolvers<void>()
  const sockets: Socket[] = []
  let sent = Promise.withResolvers<void>()
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    admit: () => ({}),
    errorBody: ({ code }) => code,
    maxBodyBytes: 1_000,
    unread,
    routes: [
      {
        method: 'GET',
        path: '/long',
        async handle(exchange) {
          exchange.sendText(200, 'é'.repeat(longBytes / 2), 'text/plain; charset=utf-8')
          sent.resolve()
        },
      },
      {
        method: 'GET',
        path: '/late',
        async handle(exchange) {
          await answered.promise
          exchange.send(200, {})
        },
      },
    ],
  })
  return {
    unread,
    url: `http://127.0.0.1:${server.port}`,
    answerLate: () => answered.resolve(),
    /** A client that reads nothing; resolves when its answer is on the way. */
    async ask(...paths: readonly string[]): Promise<Socket> {
      sent = Promise.withResolvers()
      const client = connect(server.port, '127.0.0.1').pause()
      sockets.push(client)
      client.on('error', () => undefined)
      client.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`).join(''))
      await sent.promise
      return client
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** How much of an answer arrives before the connection ends. */
async function bytesUntilClosed(client: Socket): Promise<number> {
  let bytes = 0
  client.on('data', (piece) => (bytes += piece.length)).resume()
  await once(client, 'close')
  return bytes
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise(setImmediate)
}

test('a client that reads nothing of a long answer counts as gone after a while', async () => {
  await using bed = await open({ unreadMs: 20 })
  const client = await bed.ask('/long')
  assert.equal(bed.unread.bytes, longBytes)
  await until(() => bed.unread.bytes === 0)
  assert.ok((await bytesUntilClosed(client)) < longBytes)
})

test('what answers hold that nobody reads is bounded: those that were read of least lately go', async () => {
  await using bed = await open({ maxBytes: 2.5 * longBytes })
  const clients = [await bed.ask('/long'), await bed.ask('/long')]
  assert.equal(bed.unread.bytes, 2 * longBytes)
  for (let n = 0; n < 4; n++) {
    clients.push(await bed.ask('/long'))
    assert.equal(bed.unread.bytes, 2 * longBytes)
  }
  const arrived = await Promise.all(clients.slice(0, 4).map(bytesUntilClosed))
  assert.ok(
    arrived.every((bytes) => bytes < longBytes),
    'the first ones are cut',
  )
  assert.equal((await (await fetch(`${bed.url}/long`)).text()).length, longBytes / 2, 'whoever reads has all of it')
})

test('an answer that is longer than all may be together is given to a client that reads it', async () => {
  await using bed = await open({ maxBytes: 1_000 })
  assert.equal((await (await fetch(`${bed.url}/long`)).text()).length, longBytes / 2)
  await until(() => bed.unread.bytes === 0)
})

test('an answer waits for the one before it on its connection, however long that takes', async () => {
  await using bed = await open({ unreadMs: 20 })
  const client = await bed.ask('/late', '/long')
  // The wait of another one, which begins later, ends while this one goes on.
  await bed.ask('/long')
  await until(() => bed.unread.bytes < 2 * longBytes)
  assert.equal(bed.unread.bytes, longBytes)
  bed.answerLate()
  await until(() => bed.unread.bytes === 0)
  assert.ok((await bytesUntilClosed(client)) > 0)
})

test('a server that stops waits for no client', async () => {
  const bed = await open({})
  await bed.ask('/late', '/long')
  bed.answerLate()
  await bed.ask('/long')
  await bed[Symbol.asyncDispose]()
  assert.equal(bed.unread.bytes, 0)
})
