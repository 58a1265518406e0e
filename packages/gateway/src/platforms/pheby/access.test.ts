import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { MAX_REQUEST_BYTES, MAX_TEXT_CHARS } from '@hermes/protocol/pheby/constants.ts'
import { WebSocket } from 'ws'
import { connectTestClient } from './test-client.ts'
import { openTestPheby, secret } from './test-pheby.ts'

/** Sends a first frame and resolves to what it is refused with, and the close code. */
async function greet(url: string, frame: string | object, from = '203.0.113.1') {
  const client = await connectTestClient(url, { headers: { 'x-forwarded-for': `198.51.100.7, ${from}` } })
  const refused = client.event('error', undefined, 0)
  client.send(frame)
  const { error, request_id: requestId } = await refused
  return { code: error.code, requestId, close: await client.closed }
}

const hello = { type: 'hello', secret, protocol_version: 1 }

test('nobody is let in who does not say hello with the secret and the version', async () => {
  await using all = await openTestPheby()
  const refused = async (frame: string | object, from?: string) => greet(all.url, frame, from)
  assert.deepEqual(await refused({ ...hello, secret: 'wrong', request_id: 'r' }), {
    code: 'unauthorized',
    requestId: 'r',
    close: 1008,
  })
  assert.equal((await refused({ type: 'ping' }, 'b')).code, 'unauthorized')
  assert.equal((await refused('{', 'c')).code, 'unauthorized')
  assert.equal((await refused({ ...hello, secret: 7 }, 'd')).code, 'unauthorized')
  assert.equal((await refused({ ...hello, protocol_version: 2 }, 'e')).code, 'version_mismatch')
  assert.equal((await refused({ type: 'hello', secret }, 'f')).code, 'version_mismatch')
  const client = await connectTestClient(all.url, { secret })
  assert.equal(client.events[0]?.type, 'ready')
})

test('whoever says nothing in time is sent away', async () => {
  await using all = await openTestPheby({ settings: { helloTimeoutMs: 30 } })
  const client = await connectTestClient(all.url)
  assert.equal((await client.event('error', undefined, 0)).error.code, 'auth_timeout')
  assert.equal(await client.closed, 1008)
})

test('five wrong hellos lock an address out for a minute, and no other', async () => {
  await using all = await openTestPheby()
  for (let n = 0; n < 5; n++) assert.equal((await greet(all.url, { ...hello, secret: 'no' })).code, 'unauthorized')
  await assert.rejects(greet(all.url, hello), /429/)
  const other = await connectTestClient(all.url, { secret, headers: { 'x-forwarded-for': '203.0.113.2' } })
  assert.equal(other.events[0]?.type, 'ready')
})

test('a connection that is open when its address is locked out has no try left either', async () => {
  await using all = await openTestPheby()
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  const early = await connectTestClient(all.url, { headers })
  for (let n = 0; n < 5; n++) await greet(all.url, { ...hello, secret: 'no' }, '203.0.113.9')
  early.send(hello)
  assert.equal((await early.event('error', undefined, 0)).error.code, 'unauthorized')
})

test('what is too large is told, and closes the connection where it is the frame itself', async () => {
  await using all = await openTestPheby()
  const client = await all.connect()
  const { conversation_id: id } = await client.answer({ type: 'conversation.create' }, 'conversation.created')
  const long = await client.ask({ type: 'chat.send', conversation_id: id, text: 'a'.repeat(MAX_TEXT_CHARS + 1) })
  assert.ok(long.type === 'error' && long.error.code === 'too_large')
  const filler = 'a'.repeat(MAX_REQUEST_BYTES)
  const sentAt = Math.floor(Date.now() / 1000) * 1000
  client.send(`{"type":"ping","filler":"${filler}"}`)
  const refused = await client.event('error')
  assert.equal(refused.error.code, 'too_large')
  assert.ok(Date.parse(refused.ts) >= sentAt, 'the time is that of the refusal')
  assert.equal(await client.closed, 1009)
  const again = await all.connect()
  assert.equal((await again.answer({ type: 'ping' }, 'pong')).type, 'pong')
})

test('too many requests in a moment are refused, and later ones are taken', async () => {
  await using all = await openTestPheby({ settings: { requestsPerMinute: 6_000 } })
  const client = await all.connect()
  for (let n = 0; n < 3_000; n++) client.send({ type: 'ping', request_id: String(n) })
  const limited = await client.event('error', undefined, 0)
  assert.equal(limited.error.code, 'rate_limited')
  await client.event('pong', undefined, 0)
  for (let tries = 0; ; tries++) {
    const answer = await client.ask({ type: 'ping' }, `again${tries}`)
    if (answer.type === 'pong') break
    assert.ok(tries < 1_000)
  }
})

test('requests about what is not there have their codes', async () => {
  await using all = await openTestPheby()
  const client = await all.connect()
  const codeOf = async (request: Parameters<typeof client.ask>[0]) => (await client.answer(request, 'error')).error.code
  const conversation_id = 'nothing'
  assert.equal(await codeOf({ type: 'conversation.open', conversation_id }), 'conversation_not_found')
  assert.equal(await codeOf({ type: 'conversation.rename', conversation_id, name: 'x' }), 'conversation_not_found')
  assert.equal(await codeOf({ type: 'conversation.delete', conversation_id }), 'conversation_not_found')
  assert.equal(await codeOf({ type: 'chat.send', conversation_id, text: 'x' }), 'conversation_not_found')
  assert.equal(await codeOf({ type: 'run.cancel', conversation_id, run_id: 'x' }), 'conversation_not_found')
  assert.equal(await codeOf({ type: 'models.list', conversation_id }), 'conversation_not_found')
  assert.equal(await codeOf({ type: 'reasoning.set', conversation_id, effort: 'low' }), 'conversation_not_found')
  assert.equal(await codeOf({ type: 'approval.respond', approval_id: '1', choice: 'once' }), 'approval_not_found')
  assert.equal(await codeOf({ type: 'clarify.respond', clarify_id: '1', response: 'x' }), 'clarify_not_found')
})

test('there is nothing else on the port', async () => {
  await using all = await openTestPheby()
  assert.equal((await fetch(`${all.origin}/`)).status, 404)
  assert.equal((await fetch(`${all.origin}/ws`)).status, 426)
  await assert.rejects(connectTestClient(`${all.url}/other`), /404/)
})

test('whoever does not answer the pings of the WebSocket is cut off, and others stay', async () => {
  await using all = await openTestPheby({ settings: { pingMs: 500 } })
  const other = await all.connect()
  const silent = new WebSocket(all.url, { autoPong: false })
  await once(silent, 'open')
  silent.send(JSON.stringify(hello))
  const [code] = await once(silent, 'close')
  assert.equal(code, 1006)
  assert.equal((await other.answer({ type: 'ping' }, 'pong')).type, 'pong')
})

test('strangers who say nothing keep nobody out who knows the secret, from their address or another', async () => {
  await using all = await openTestPheby()
  const here = { 'x-forwarded-for': '203.0.113.9' }
  const first = await connectTestClient(all.url, { secret, headers: here })
  const crowd: WebSocket[] = []
  for (let n = 0; n < 300; n++) {
    const headers = { 'x-forwarded-for': n % 2 === 0 ? '203.0.113.9' : `198.51.100.${n % 200}` }
    const stranger = new WebSocket(all.url, { headers })
    stranger.on('error', () => undefined)
    crowd.push(stranger)
    if (n % 50 === 49) await once(stranger, 'open')
  }
  for (const headers of [here, { 'x-forwarded-for': '203.0.113.10' }]) {
    const client = await connectTestClient(all.url, { secret, headers })
    assert.equal(client.events[0]?.type, 'ready')
    assert.equal((await client.ask({ type: 'ping' })).type, 'pong')
  }
  assert.equal((await first.ask({ type: 'ping' })).type, 'pong')
  for (const stranger of crowd) stranger.terminate()
})

test('connections that never send a request keep nobody out', async () => {
  await using all = await openTestPheby()
  const { port, hostname } = new URL(all.url)
  const silent = Array.from({ length: 400 }, () => connect(Number(port), hostname).on('error', () => undefined))
  await Promise.all(silent.map((one) => once(one, 'connect')))
  const client = await connectTestClient(all.url, { secret })
  assert.equal(client.events[0]?.type, 'ready')
  assert.equal((await fetch(`${all.origin}/app/config.json`)).status, 200)
  for (const one of silent) one.destroy()
})

test('a page of another site cannot connect, unless it is named', async () => {
  await using all = await openTestPheby({ settings: { origins: ['https://app.example.org'] } })
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
    await assert.rejects(connectTestClient(all.url, { secret, headers: { origin } }), /403/)
  }
  for (const origin of ['https://app.example.org', new URL(all.url.replace('ws', 'http')).origin]) {
    const client = await connectTestClient(all.url, { secret, headers: { origin } })
    assert.equal(client.events[0]?.type, 'ready')
  }
})
