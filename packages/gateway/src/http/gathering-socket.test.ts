import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { listenForSockets } from './socket-server.ts'

test('frames of one breath leave together, in their order, and later ones at once', async () => {
  const arrived = Promise.withResolvers<{ readonly socket: WebSocket; readonly request: IncomingMessage }>()
  await using server = await listenForSockets({
    host: '127.0.0.1',
    port: 0,
    portVariable: 'PORT',
    path: '/ws',
    maxFrameBytes: 1_000,
    tooLarge: () => 'too large',
    maxConnections: 3,
    pingMs: 60_000,
    mayConnect: () => true,
    mayOpen: () => true,
    socketHandler: async () => (socket, _address, request) => arrived.resolve({ socket, request }),
    async onRequest(_request, response) {
      response.end()
    },
  })
  const client = new WebSocket(`ws://127.0.0.1:${server.port}/ws`)
  const came: string[] = []
  client.on('message', (data: Buffer) => came.push(data.toString()))
  await once(client, 'open')
  const { socket, request } = await arrived.promise
  const wire = request.socket
  const before = wire.writableLength
  socket.send('one')
  await Promise.resolve()
  socket.send('two')
  // Two bytes of head each.
  assert.equal(wire.writableLength - before, 10)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(wire.writableCorked, 0)
  const sent = new Promise((resolve) => socket.send('three', resolve))
  await sent
  socket.close()
  await once(client, 'close')
  assert.deepEqual(came, ['one', 'two', 'three'])
})
