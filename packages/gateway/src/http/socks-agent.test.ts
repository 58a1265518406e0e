import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { openClient } from '../platforms/matrix/client.ts'
import { openOutbound as openDiscord } from '../platforms/discord/outbound-http.ts'
import { openOutbound } from './outbound.ts'
import { startSocksServer } from './socks-server.fixture.ts'

const signal = AbortSignal.timeout(30_000)

/** A service that says which host it was called by, and echoes at `/ws`. */
async function startService() {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ host: request.headers.host }))
  }).listen(0, '127.0.0.1')
  const sockets = new WebSocketServer({ server, path: '/ws' })
  sockets.on('connection', (socket) => socket.on('message', (data: Buffer) => socket.send(data.toString())))
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('requests and web sockets go through a SOCKS proxy, which looks names up; exempt ones do not', async () => {
  await using service = await startService()
  await using proxy = await startSocksServer(() => service.port, { password: 'made:up' })
  const environment = {
    all_proxy: `socks5h://ann:made%3Aup@127.0.0.1:${proxy.port}`,
    no_proxy: '127.0.0.1',
  }
  const outbound = openOutbound(environment)
  const get = async (url: string) => {
    const answer = await outbound.send(url, { signal })
    return String(await answer.read(1_000))
  }
  try {
    assert.equal(await get('http://service.test/a'), '{"host":"service.test"}')
    assert.equal(await get('http://service.test/b'), '{"host":"service.test"}')
    assert.deepEqual(proxy.asked, ['service.test:80'], 'one connection is kept')
    await get(`http://127.0.0.1:${service.port}/`)
    assert.equal(proxy.asked.length, 1)
    const socket = new WebSocket('ws://sockets.test:8080/ws', { agent: outbound.agentOf('ws://sockets.test:8080/ws') })
    await once(socket, 'open')
    socket.send('hello')
    const [data] = (await once(socket, 'message')) as [Buffer]
    assert.equal(data.toString(), 'hello')
    socket.terminate()
    assert.equal(proxy.asked.at(-1), 'sockets.test:8080')
  } finally {
    outbound.close()
  }
})

test('Matrix and Discord go through it, too', async () => {
  await using service = await startService()
  await using proxy = await startSocksServer(() => service.port)
  const address = `socks5://127.0.0.1:${proxy.port}`
  const matrix = openClient('http://matrix.test', { ALL_PROXY: address })
  await matrix.call(z.object({ host: z.literal('matrix.test') }), { method: 'GET', path: '/client/versions' }, signal)
  matrix.close()
  const discord = openDiscord({}, address.replace('socks5:', 'socks5h:'))
  const answer = await discord.send('http://discord.test/api', { signal })
  assert.equal(String(await answer.read(1_000)), '{"host":"discord.test"}')
  const socket = await discord.connect('ws://gateway.discord.test/ws')
  await new Promise<void>((resolve) => {
    socket.addEventListener('message', ({ data }) => resolve(assert.equal(data, 'hello')))
    void once(socket as WebSocket, 'open').then(() => socket.send('hello'))
  })
  socket.terminate?.()
  await discord.close()
  assert.deepEqual(proxy.asked, ['matrix.test:80', 'discord.test:80', 'gateway.discord.test:80'])
})

test('a proxy that refuses is told as what was never sent', async () => {
  await using service = await startService()
  await using proxy = await startSocksServer(() => service.port, { password: 'right' })
  const closed = openOutbound({ HTTP_PROXY: 'socks5://127.0.0.1:1' })
  const wrong = openOutbound({ HTTP_PROXY: `socks5://ann:wrong@127.0.0.1:${proxy.port}` })
  for (const outbound of [closed, wrong]) {
    await assert.rejects(outbound.send('http://service.test/', { signal }), {
      code: 'ECONNREFUSED',
      message: /^The SOCKS proxy: /,
    })
    outbound.close()
  }
  assert.deepEqual(proxy.asked, [])
})

test('TLS is spoken with the service itself, by its name', async () => {
  const named: string[] = []
  const server = createTlsServer({
    SNICallback(name, done) {
      named.push(name)
      done(new Error('no certificate'))
    },
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await using proxy = await startSocksServer(() => port)
  const outbound = openOutbound({ HTTPS_PROXY: `socks5://127.0.0.1:${proxy.port}` })
  await assert.rejects(outbound.send('https://service.test/', { signal }))
  outbound.close()
  server.close()
  await once(server, 'close')
  assert.deepEqual([named, proxy.asked], [['service.test'], ['service.test:443']])
})
