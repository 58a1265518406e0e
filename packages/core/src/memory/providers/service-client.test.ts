import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { z } from 'zod'
import { createServiceClient } from './service-client.ts'

const key = 'sk-very-secret-key'
const signal = () => AbortSignal.timeout(30_000)

type Answer = (request: IncomingMessage, response: ServerResponse) => void

async function serve(answer: Answer) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`)
    answer(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/base/`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function clientOf(baseUrl: string, more: { timeoutMs?: number; now?: () => number } = {}) {
  return createServiceClient({
    service: 'Elephant',
    baseUrl,
    auth: { scheme: 'Bearer', key },
    keyHint: 'Check ELEPHANT_API_KEY.',
    ...more,
  })
}

const anything = z.unknown()

test('a refused key names what to check and never shows the key, even where the service repeats it', async () => {
  await using server = await serve((_, response) => response.writeHead(401).end(`{"detail": "bad token ${key}"}`))
  await assert.rejects(clientOf(server.url).call(anything, { path: '/' }, signal()), (error: Error) => {
    assert.match(
      error.message,
      /Elephant refused the key \(HTTP 401\)\. Check ELEPHANT_API_KEY\. It says: bad token \*\*\*/,
    )
    return 'code' in error && error.code === 'refused' && !JSON.stringify(error).includes(key)
  })
})

test('a long wait is told, not taken', async () => {
  await using server = await serve((_, response) => response.writeHead(429, { 'retry-after': '90' }).end())
  await assert.rejects(clientOf(server.url).call(anything, { path: '/' }, signal()), {
    code: 'refused',
    status: 429,
    retryAfterMs: 90_000,
    message: /in 90 s/,
  })
  assert.equal(server.requests.length, 1)
})

test('a service that does not answer in time is unreachable', async () => {
  await using server = await serve(() => undefined)
  await assert.rejects(clientOf(server.url, { timeoutMs: 50 }).call(anything, { path: '/' }, signal()), {
    code: 'unreachable',
    message: /did not answer within 0\.05 s/,
  })
})

test('cancelling passes the reason untouched', async () => {
  const abort = new AbortController()
  const reason = new Error('stop')
  await using server = await serve(() => abort.abort(reason))
  await assert.rejects(clientOf(server.url).call(anything, { path: '/' }, abort.signal), (error) => error === reason)
})

test('an answer in another form is refused without showing it', async () => {
  await using server = await serve((_, response) => response.end('{"results": [{"memory": 5}]}'))
  const schema = z.object({ results: z.array(z.object({ memory: z.string() })) })
  await assert.rejects(clientOf(server.url).call(schema, { path: '/' }, signal()), {
    code: 'refused',
    message: 'Elephant answered in a form that is not known (results.0.memory).',
  })
})

test('after five failures in a row the service is left alone for two minutes', async () => {
  let now = 0
  let isUp = false
  await using server = await serve((_, response) => response.writeHead(isUp ? 200 : 500).end('1'))
  const client = clientOf(server.url, { now: () => now })
  const call = () => client.call(anything, { path: '/' }, signal())
  for (let index = 0; index < 5; index++) await assert.rejects(call(), { status: 500 })
  isUp = true
  await assert.rejects(call(), { code: 'unreachable', message: /asked again in 120 s/ })
  assert.equal(server.requests.length, 5)
  now = 120_000
  assert.equal(await call(), 1)
})

test('an address that is no web address, or holds a password, is told at once', () => {
  assert.throws(() => clientOf('ftp://x'), { code: 'unconfigured' })
  assert.throws(() => clientOf(''), { code: 'unconfigured' })
  assert.throws(() => clientOf('http://ann:pw@x'), { code: 'unconfigured' })
})
