import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { listenForSockets } from './socket-server.ts'

/** A server whose answers are large. */
async function open(times: { readonly requestMs?: number; readonly checkMs?: number; readonly idleMs?: number }) {
  const server = await listenForSockets({
    host: '127.0.0.1',
    port: 0,
    portVariable: 'PORT',
    path: '/ws',
    maxFrameBytes: 1_000,
    tooLarge: () => 'too large',
    maxConnections: 3,
    pingMs: 60_000,
    ...times,
    mayConnect: () => true,
    mayOpen: () => true,
    socketHandler: async () => () => undefined,
    async onRequest(_request, response) {
      response.end(Buffer.alloc(20_000_000))
    },
  })
  const sockets: Socket[] = []
  return {
    port: server.port,
    connect(text = ''): Socket {
      const socket = connect(server.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(text)
      sockets.push(socket)
      return socket
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await server[Symbol.asyncDispose]()
    },
  }
}

const closed = (socket: Socket) => new Promise<void>((resolve) => socket.on('close', () => resolve()))

const line = 'GET / HTTP/1.1\r\nHost: x\r\n'

test('whoever sends a request for ever, or takes no answer, is cut off; a silent WebSocket is not', async () => {
  await using server = await open({ requestMs: 1_500, checkMs: 100, idleMs: 2_000 })
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`)
  await once(socket, 'open')
  const silent = server.connect('')
  const half = server.connect('GET / HT')
  const slow = server.connect(line)
  const dripping = setInterval(() => slow.write('X: y\r\n'), 20)
  const body = server.connect('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\na')
  const asked = [silent, half, slow, body].map((one) => closed(one.resume()))
  const stalled = server.connect(`${line}\r\n`.repeat(5))
  stalled.pause()
  await Promise.all(asked)
  clearInterval(dripping)
  // Its end is seen by what is written to it.
  const poking = setInterval(() => stalled.write('x'), 50)
  await closed(stalled)
  clearInterval(poking)
  assert.equal(socket.readyState, WebSocket.OPEN)
  socket.terminate()
})

test('more connections than there is room for are closed at once', async () => {
  await using server = await open({})
  const all = Array.from({ length: 230 }, () => server.connect().resume())
  let left = 230 - 203
  await new Promise<void>((resolve) => {
    for (const one of all) one.on('close', () => --left === 0 && resolve())
  })
  assert.equal(all.filter(({ destroyed }) => destroyed).length, 230 - 203)
})
