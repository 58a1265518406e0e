import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { startHttpServer } from './server.ts'

test('a client that is there and reads nothing counts as gone after a while', async () => {
  const { promise: ended, resolve } = Promise.withResolvers<unknown>()
  await using server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    admit: () => ({}),
    errorBody: ({ code }) => code,
    maxBodyBytes: 1_000,
    routes: [
      {
        method: 'GET',
        path: '/events',
        async handle(exchange) {
          const stream = exchange.stream({ keepAliveMs: 60_000, unreadMs: 20 })
          try {
            for (;;) await stream.send('x'.repeat(1_000_000))
          } catch (error) {
            resolve(error)
            throw error
          }
        },
      },
    ],
  })
  const client = connect(server.port, '127.0.0.1')
  client.on('error', () => undefined)
  client.pause()
  client.write('GET /events HTTP/1.1\r\nhost: localhost\r\n\r\n')
  assert.equal(((await ended) as Error).name, 'AbortError')
  client.destroy()
})
