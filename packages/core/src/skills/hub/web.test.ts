import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createHttpClient } from '../../models/net/http-client.ts'
import { createWeb } from './web.ts'

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const signal = new AbortController().signal

test('redirects are followed, a token stays with its host, and circles end', async () => {
  const seen: (string | undefined)[] = []
  await using other = await serve((request, response) => {
    seen.push(request.headers.authorization)
    response.end('there')
  })
  await using first = await serve((request, response) => {
    seen.push(request.headers.authorization)
    if (request.url === '/a') response.writeHead(302, { location: '/b' }).end()
    else if (request.url === '/b') response.writeHead(301, { location: `${other.url}/c` }).end()
    else if (request.url === '/loop') response.writeHead(307, { location: '/loop' }).end()
    else response.end('here')
  })
  const web = createWeb(createHttpClient({}))
  const headers = { authorization: 'Bearer x' }
  await assert.rejects(web.send({ url: `${first.url}/loop` }, signal), { code: 'bad-answer' })
  await assert.rejects(
    web.send({ url: `${first.url}/b`, headers }, signal),
    { code: 'bad-answer' },
    'not to an open connection of another host',
  )
  seen.length = 0
  assert.equal((await web.send({ url: `${first.url}/x`, headers }, signal)).status, 200)
  assert.deepEqual(seen, ['Bearer x'])
})

test('what is too large, not there or no address is told', async () => {
  await using server = await serve((_, response) => void response.end('x'.repeat(2_000)))
  const web = createWeb(createHttpClient({}))
  await assert.rejects(web.send({ url: server.url, maxBytes: 1_000 }, signal), { code: 'too-large' })
  await assert.rejects(web.send({ url: 'http://127.0.0.1:1/' }, signal), { code: 'offline' })
  await assert.rejects(web.send({ url: 'file:///etc/passwd' }, signal), { code: 'invalid' })
  await assert.rejects(web.send({ url: 'https://user:pass@example.com' }, signal), { code: 'invalid' })
  await assert.rejects(web.send({ url: server.url }, AbortSignal.abort(new Error('enough'))), /enough/)
})
