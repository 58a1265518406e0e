import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { text } from 'node:stream/consumers'
import { openOutbound } from '../../http/outbound.ts'
import { PlatformError } from '../platform-error.ts'
import { postAnswer, readUrlTarget } from './post-answer.ts'
import { noAuthentication, proofOf } from './signature.ts'

const never = new AbortController().signal
const secret = 'made-up-secret'

/** An address that notes what is posted to it and answers as it is told. */
async function open(answer: { status: number; headers?: Readonly<Record<string, string>> }) {
  const seen: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ headers: request.headers, body })
      response.writeHead(answer.status, answer.headers).end('x')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}/secret-path`)
  const outbound = openOutbound({})
  return {
    url,
    seen,
    post: (change: { key?: string; secret?: string } = {}) =>
      postAnswer({ url, key: 'k', route: 'ci', deliveryId: 'd', text: 'Über', secret, ...change }, outbound, never),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
    async [Symbol.asyncDispose]() {
      outbound.close()
      if (server.listening) await this.close()
    },
  }
}

test('an answer is posted with a signature that our own routes take, and a key that stays when it is sent again', async () => {
  await using t = await open({ status: 202 })
  await t.post()
  await t.post()
  await t.post({ key: 'other' })
  const [first, again, other] = t.seen
  assert.ok(first && again && other)
  assert.deepEqual(JSON.parse(first.body), { event_type: 'answer', route: 'ci', delivery_id: 'd', text: 'Über' })
  const signature = createHmac('sha256', secret).update(first.body).digest('hex')
  assert.equal(first.headers['x-webhook-signature'], `sha256=${signature}`)
  assert.ok(proofOf({ headers: first.headers, body: Buffer.from(first.body), secret, now: 0 }))
  assert.equal(first.headers['idempotency-key'], again.headers['idempotency-key'])
  assert.notEqual(first.headers['idempotency-key'], other.headers['idempotency-key'])
  for (const none of ['', noAuthentication]) await t.post({ secret: none })
  for (const { headers } of t.seen.slice(3)) assert.equal(headers['x-webhook-signature'], undefined)
})

for (const [status, headers, code, retryAfterMs] of [
  [503, {}, 'unreachable', undefined],
  [429, { 'retry-after': '7' }, 'rate-limited', 7_000],
  [500, {}, 'uncertain', undefined],
  [404, {}, 'refused', undefined],
  [302, { location: 'http://127.0.0.1:9/' }, 'refused', undefined],
] as const) {
  test(`status ${status} is told as ${code}, without the path, which may be a secret`, async () => {
    await using t = await open({ status, headers })
    await assert.rejects(t.post(), (error) => {
      assert.ok(error instanceof PlatformError)
      assert.deepEqual([error.code, error.retryAfterMs], [code, retryAfterMs])
      assert.doesNotMatch(error.message, /secret-path/)
      return true
    })
  })
}

test('where nobody listens the answer was not sent, and is tried again', async () => {
  await using t = await open({ status: 200 })
  await t.close()
  await assert.rejects(t.post(), { name: 'PlatformError', code: 'unreachable' })
})

test('a target is an address of the web or refused', () => {
  assert.equal(readUrlTarget('url:https://example.org/x?y#z')?.href, 'https://example.org/x?y#z')
  for (const other of ['log', 'telegram:7', 'urls:x']) assert.equal(readUrlTarget(other), undefined)
  for (const wrong of ['url', 'url:', 'url:file:///etc/passwd', 'url:nowhere']) {
    assert.throws(() => readUrlTarget(wrong), { code: 'refused' }, wrong)
  }
})
