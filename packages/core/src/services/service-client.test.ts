import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { z } from 'zod'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createServiceClient, servicePath } from './service-client.ts'
import type { ServiceClientOptions } from './service-client.ts'

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

function clientOf(baseUrl: string, more: Partial<ServiceClientOptions> = {}) {
  return createServiceClient({
    service: 'Elephant',
    baseUrl,
    auth: { scheme: 'Bearer', key },
    keyHint: 'Check ELEPHANT_API_KEY.',
    ...more,
  })
}

const anything = z.unknown()

test('a call carries the key, its query and an encoded path, and its answer is parsed', async () => {
  await using server = await serve((_, response) => response.end('{"count": 3, "more": true}'))
  const answer = await clientOf(server.url).call(
    z.object({ count: z.number() }),
    { path: servicePath`/v1/${'a/b c'}/x`, query: { page: 2, none: undefined } },
    signal(),
  )
  assert.deepEqual(answer, { count: 3 })
  assert.deepEqual(server.requests, [`GET /base/v1/a%2Fb%20c/x?page=2 Bearer ${key}`])
})

test('a refused key names what to check and never shows the key, even where the service repeats it', async () => {
  await using server = await serve((_, response) => response.writeHead(401).end(`{"detail": "bad token ${key}"}`))
  await assert.rejects(clientOf(server.url).call(anything, { path: '/' }, signal()), (error: Error) => {
    assert.match(
      error.message,
      /Elephant refused the key \(HTTP 401\)\. Check ELEPHANT_API_KEY\. It says: bad token \*\*\*/,
    )
    return 'code' in error && error.code === 'auth' && !JSON.stringify(error).includes(key)
  })
})

test('of what a service says no part of the key is repeated, wherever it is cut', async () => {
  const reason = `${'x'.repeat(295)}${key}`
  await using server = await serve((_, response) =>
    response.writeHead(422).end(JSON.stringify({ detail: [{ msg: reason }] })),
  )
  await assert.rejects(clientOf(server.url).call(anything, { path: '/' }, signal()), (error: Error) => {
    assert.match(error.message, /It says: x{295}\*\*\*$/)
    return true
  })
})

test('too many requests are waited out when the service says how soon', async () => {
  let asked = 0
  await using server = await serve((_, response) => {
    asked++
    if (asked === 1) response.writeHead(429, { 'retry-after': '0' }).end()
    else response.end('"late"')
  })
  assert.equal(await clientOf(server.url).call(z.string(), { path: '/' }, signal()), 'late')
  assert.equal(asked, 2)
})

test('a long wait is told, not taken', async () => {
  await using server = await serve((_, response) => response.writeHead(429, { 'retry-after': '90' }).end())
  await assert.rejects(clientOf(server.url).call(anything, { path: '/' }, signal()), {
    code: 'rate-limited',
    status: 429,
    retryAfterMs: 90_000,
    message: /in 90 s/,
  })
  assert.equal(server.requests.length, 1)
})

test('a service that does not answer in time is unreachable', async () => {
  await using server = await serve(() => undefined)
  await assert.rejects(clientOf(server.url, { timeoutMs: 50 }).call(anything, { path: '/' }, signal()), {
    code: 'timeout',
    message: /did not answer within 0\.05 s/,
  })
})

test('cancelling passes the reason untouched', async () => {
  const abort = new AbortController()
  const reason = new Error('stop')
  await using server = await serve(() => abort.abort(reason))
  await assert.rejects(clientOf(server.url).call(anything, { path: '/' }, abort.signal), (error) => error === reason)
})

test('a redirect is not followed, so that the key stays with its host', async () => {
  await using elsewhere = await serve((_, response) => response.end('{}'))
  await using server = await serve((_, response) => response.writeHead(302, { location: elsewhere.url }).end())
  await assert.rejects(clientOf(server.url).call(anything, { path: '/' }, signal()), { status: 302 })
  assert.deepEqual(elsewhere.requests, [])
})

test('an answer in another form is refused without showing it', async () => {
  await using server = await serve((_, response) => response.end('{"results": [{"memory": 5}]}'))
  const schema = z.object({ results: z.array(z.object({ memory: z.string() })) })
  await assert.rejects(clientOf(server.url).call(schema, { path: '/' }, signal()), {
    code: 'malformed',
    message: 'Elephant answered in a form that is not known (results.0.memory).',
  })
})

test('after five failures in a row the service is left alone for two minutes', async () => {
  let now = 0
  let isUp = false
  await using server = await serve((_, response) => response.writeHead(isUp ? 200 : 500).end('1'))
  const client = clientOf(server.url, { breaker: createCircuitBreaker('Elephant', () => now) })
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

async function folder() {
  const path = await mkdtemp(join(tmpdir(), 'hermes-service-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

test('a file is written as it comes, for its owner alone, and nothing else is left', async () => {
  await using dir = await folder()
  await using server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('one ')
    response.end('two')
  })
  const path = join(dir.path, 'speech.mp3')
  const file = await clientOf(server.url).download({ path: '/speech' }, { path, maxBytes: 100 }, signal())
  assert.deepEqual(file, { path, bytes: 7, contentType: 'audio/mpeg' })
  assert.equal(await readFile(path, 'utf8'), 'one two')
  assert.deepEqual(await readdir(dir.path), ['speech.mp3'])
})

test('a file that is too large, breaks off, is empty or is none leaves nothing behind', async () => {
  await using dir = await folder()
  const answers: readonly (readonly [string, Answer])[] = [
    ['too-large', (_, response) => response.end(Buffer.alloc(101))],
    [
      'unreachable',
      (_, response) => response.writeHead(200, { 'content-length': 50 }).write('half', () => response.destroy()),
    ],
    ['malformed', (_, response) => response.end()],
    ['malformed', (_, response) => response.setHeader('content-type', 'application/json').end(`{"error": "${key}"}`)],
    ['auth', (_, response) => response.writeHead(401).end()],
  ]
  for (const [code, answer] of answers) {
    await using server = await serve(answer)
    const got = clientOf(server.url).download({ path: '/' }, { path: join(dir.path, 'a'), maxBytes: 100 }, signal())
    await assert.rejects(got, (error: Error) => 'code' in error && error.code === code && !error.message.includes(key))
    assert.deepEqual(await readdir(dir.path), [])
  }
})

test('an answer without end is not read to its end', async () => {
  await using server = await serve((_, response) => {
    const more = () => void response.write(Buffer.alloc(1024 * 1024), more)
    more()
  })
  await assert.rejects(clientOf(server.url).call(anything, { path: '/' }, signal()), { code: 'too-large' })
})

test('the proxy of the environment is used, by forms too, and not for this machine', async () => {
  await using server = await serve((_, response) => response.end('1'))
  const bodies: Promise<string>[] = []
  await using proxy = await serve((request, response) => {
    bodies.push(request.setEncoding('utf8').reduce((all: string, piece: string) => all + piece, ''))
    response.end('2')
  })
  const environment = { HTTP_PROXY: new URL(proxy.url).origin }
  assert.equal(await clientOf(server.url, { environment }).call(anything, { path: '/' }, signal()), 1)
  assert.equal(proxy.requests.length, 0)
  const form = new FormData()
  form.set('a', 'elephants')
  const away = clientOf('http://elephant.example', { environment })
  assert.equal(await away.call(anything, { method: 'POST', path: '/x', body: form }, signal()), 2)
  assert.deepEqual(proxy.requests, [`POST http://elephant.example/x Bearer ${key}`])
  assert.match((await bodies[0]) ?? '', /elephants/)
})
