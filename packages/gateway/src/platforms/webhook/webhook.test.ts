import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing/temporary-home.ts'
import type { Parcel } from '../../deliver/courier.ts'
import { DeliveryError } from '../../deliver/delivery-error.ts'
import type { InboundMessage } from '../../messages/inbound-message.ts'
import { connectWebhook } from './connect.ts'
import { routesSchema } from './route.ts'
import { readSettings } from './settings.ts'
import { changeSubscriptions } from './subscriptions.ts'
import { renderTemplate } from './template.ts'

const secret = 'made-up-secret'

/** A server with routes, and what it has handed over. */
async function open(routes: Readonly<Record<string, object>>, extra: object = {}) {
  const home = await temporaryHome()
  const received: InboundMessage[] = []
  const parcels: Parcel[] = []
  let now = Date.now()
  let storage: Error | undefined
  const clock = { ...systemClock('UTC'), now: () => now }
  const settings = settingsOf({ host: '127.0.0.1', port: 0, secret, routes, ...extra })
  assert.equal(settings.state, 'ready', JSON.stringify(settings))
  if (settings.state !== 'ready') throw new Error('not ready')
  const host = {
    home,
    environment: {},
    clock,
    log: silentLogger,
    courier: {
      async find(target: string) {
        if (target.startsWith('nowhere')) throw new DeliveryError('The gateway does not run for "nowhere".')
        return { platform: 'test', chatId: target, chatType: 'dm' } as const
      },
      deliver: async (parcel: Parcel) => void parcels.push(parcel),
    },
    async receive(message: InboundMessage) {
      if (storage) throw storage
      received.push(message)
    },
    press: async () => '',
  }
  const connect = () => connectWebhook(settings.settings, host, new AbortController().signal)
  let connection = await connect()
  return {
    home,
    received,
    parcels,
    get connection() {
      return connection
    },
    get url() {
      return `http://127.0.0.1:${connection.port}`
    },
    advance: (ms: number) => void (now += ms),
    breakStorage: (error: Error | undefined) => void (storage = error),
    async restart() {
      await connection[Symbol.asyncDispose]()
      connection = await connect()
    },
    /** Sends, signed as GitHub does unless other headers say otherwise. */
    async post(route: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const isSigned = Object.keys(headers).some((name) => /signature|token/i.test(name))
      const answer = await fetch(`http://127.0.0.1:${connection.port}/webhooks/${route}`, {
        method: 'POST',
        body: text,
        headers: { ...(!isSigned && { 'x-hub-signature-256': `sha256=${sign(text)}` }), ...headers },
      })
      return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, string> }
    },
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

const sign = (text: string, key = secret) => createHmac('sha256', key).update(text).digest('hex')

function settingsOf(extra: object, environment = {}) {
  const config = { ...configSchema.parse({}), platforms: { webhook: { enabled: true, extra } } }
  return readSettings(config as never, environment)
}

test('a route of the settings is reached by its name as it is written there', async () => {
  await using all = await open({ 'CI.Build-1': {} })
  assert.equal((await all.post('CI.Build-1', { a: 1 })).status, 202)
  assert.equal((await all.post('ci.build-1', { a: 2 })).status, 404)
  for (const wrong of ['../x', 'a/b', '.env', ''])
    assert.equal(settingsOf({ secret, routes: { [wrong]: {} } }).state, 'incomplete')
})

test('an event of GitHub becomes a message: its template filled, as text that gives no commands', async () => {
  await using t = await open({ push: { prompt: '/stop {repo.name} by {who} {missing.key}', events: ['push'] } })
  const body = { repo: { name: 'app' }, who: '{repo.name}' }
  const headers = { 'x-github-event': 'push', 'x-github-delivery': 'd-1' }
  const answer = await t.post('push', body, headers)
  assert.deepEqual(
    [answer.status, answer.body],
    [202, { status: 'accepted', route: 'push', event: 'push', delivery_id: 'd-1' }],
  )
  const [message] = t.received
  assert.equal(message?.text, '/stop app by {repo.name} {missing.key}')
  assert.deepEqual(message?.prepared, { isTyped: false })
  assert.equal(message?.source.chatId, 'webhook:push:d-1')
})

test('a signature is checked as each service makes it, and what is not signed is refused', async () => {
  await using t = await open({ a: {} })
  const body = '{"id":"evt_1","type":"charge.failed","event_type":"mine"}'
  const at = (seconds: number) => Math.floor(Date.now() / 1000) + seconds
  const stripe = (time: number, key = secret) => `t=${time},v1=${sign('x', key)},v1=${sign(`${time}.${body}`, key)}`
  const cases: readonly [Readonly<Record<string, string>>, number][] = [
    [{ 'x-hub-signature-256': `sha256=${sign(body)}` }, 202],
    [{ 'x-hub-signature-256': `sha256=${sign(body, 'other')}` }, 401],
    [{ 'x-hub-signature-256': sign(body) }, 401],
    [{ 'x-gitlab-token': secret }, 202],
    [{ 'x-gitlab-token': `${secret}x` }, 401],
    // The same signed bytes by another header are the same event.
    [{ 'x-webhook-signature': sign(body) }, 200],
    [{ 'x-webhook-signature': '' }, 401],
    [{ 'stripe-signature': stripe(at(0)) }, 202],
    [{ 'stripe-signature': stripe(at(0), 'other') }, 401],
    [{ 'stripe-signature': stripe(at(-400)) }, 401],
    [{ 'stripe-signature': stripe(at(400)) }, 401],
    [{ 'x-no-token': '1' }, 401],
  ]
  for (const [headers, status] of cases) {
    assert.equal((await t.post('a', body, headers)).status, status, JSON.stringify(headers))
  }
  const last = t.received.at(-1)
  assert.equal(last?.source.chatId, 'webhook:a:evt_1')
  assert.match(last?.text ?? '', /"charge\.failed"/)
})

test('an event that is not wanted is ignored, and so is a ping; a form is read', async () => {
  await using t = await open({ a: { events: ['Push Hook'] }, b: { prompt: '{ref}' } })
  const ignored = await t.post('a', {}, { 'x-gitlab-token': secret, 'x-gitlab-event': 'Tag Push Hook' })
  assert.deepEqual([ignored.status, ignored.body], [200, { status: 'ignored', event: 'Tag Push Hook' }])
  assert.equal((await t.post('b', {}, { 'x-github-event': 'ping' })).body['status'], 'ignored')
  const form = new URLSearchParams({ payload: '{"ref":"main"}' }).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await t.post('b', form, type)).status, 202)
  assert.equal((await t.post('b', 'neither')).status, 400)
  assert.equal((await t.post('none', {})).status, 404)
  assert.deepEqual(
    t.received.map(({ text }) => text),
    ['main'],
  )
})

test('an event is taken once, also at once and after a restart; one that cannot be stored is asked for again', async () => {
  await using t = await open({ a: {} })
  const send = () => t.post('a', {}, { 'x-github-delivery': 'one' })
  t.breakStorage(new Error('the disk is full'))
  assert.equal((await send()).status, 503)
  t.breakStorage(undefined)
  const both = await Promise.all([send(), send()])
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 202],
  )
  await t.restart()
  assert.deepEqual((await send()).body, { status: 'duplicate', delivery_id: 'one' })
  assert.equal(t.received.length, 1)
})

test('requests are limited by the minute, and those without a right signature do not count', async () => {
  await using t = await open({ a: {} }, { rate_limit: 2 })
  for (let count = 0; count < 3; count++) await t.post('a', {}, { 'x-gitlab-token': 'wrong' })
  assert.equal((await t.post('a', { n: 1 })).status, 202)
  assert.equal((await t.post('a', { n: 2 })).status, 202)
  const refused = await t.post('a', { n: 3 })
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60'])
  t.advance(60_000)
  assert.equal((await t.post('a', { n: 3 })).status, 202)
  assert.equal((await t.post('a', { n: 4 })).status, 202)
  // A clock that is set back lets nobody wait.
  t.advance(-7_200_000)
  assert.equal((await t.post('a', { n: 5 })).status, 202)
})

test('events that are ignored or known leave room for those that are wanted', async () => {
  await using t = await open({ a: { events: ['push'] } }, { rate_limit: 2 })
  const push = { 'x-github-event': 'push' }
  assert.equal((await t.post('a', { n: 0 }, { ...push, 'x-github-delivery': 'first' })).status, 202)
  for (let n = 1; n < 5; n++) {
    assert.equal((await t.post('a', { n }, { 'x-github-event': 'check_run' })).body['status'], 'ignored')
    const again = await t.post('a', { n: 0 }, { ...push, 'x-github-delivery': 'first' })
    assert.equal(again.body['status'], 'duplicate')
  }
  assert.equal((await t.post('a', { n: 10 }, push)).status, 202)
  assert.equal((await t.post('a', { n: 11 }, push)).status, 429)
})

test('a body that is too deep to be put into a text is refused', async () => {
  await using t = await open({ a: {}, b: { prompt: '{__raw__} {x}' } })
  const deep = `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  for (const route of ['a', 'b']) {
    const { status, body } = await t.post(route, deep)
    assert.deepEqual([status, body['error']], [400, 'The body has more than 100 lists and objects in each other.'])
    assert.equal((await t.post(route, `{"x":${'['.repeat(90)}${']'.repeat(90)}}`)).status, 202)
  }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await t.post('a', `payload=${encodeURIComponent(deep)}`, form)).status, 400)
})

test('what was signed runs once, whatever its unsigned headers say: for most of a day, also at once and after a restart', async () => {
  await using t = await open({ a: {}, b: {} }, { rate_limit: 100 })
  const body = '{"action":"opened"}'
  const seconds = Math.floor(Date.now() / 1000)
  const timed = (time: number) => ({ 'stripe-signature': `t=${time},v1=${sign(`${time}.${body}`)}` })
  const gitHub = { 'x-hub-signature-256': `sha256=${sign(body)}` }
  const byAnotherHeader = [{ 'x-webhook-signature': sign(body) }, { 'x-webhook-signature': `sha256=${sign(body)}` }]
  const ids = ['x-github-delivery', 'idempotency-key', 'x-gitlab-event-uuid', 'x-request-id']
  const replays = (signatures: readonly Readonly<Record<string, string>>[]) =>
    Promise.all(
      signatures.flatMap((signature) => [
        t.post('a', body, signature),
        ...ids.map((name) => t.post('a', body, { ...signature, [name]: randomUUID(), 'x-github-event': 'other' })),
      ]),
    )
  const ran = (answers: readonly { readonly status: number }[]) => answers.filter(({ status }) => status === 202).length
  assert.equal(ran(await replays([gitHub, gitHub])), 1)
  assert.equal(ran(await replays([timed(seconds)])), 1)
  await t.restart()
  assert.equal(ran(await replays([gitHub, ...byAnotherHeader, timed(seconds)])), 0)
  assert.equal(t.received.length, 2)
  // Another time that is signed, or another route, is another event.
  assert.equal(ran(await replays([timed(seconds + 1)])), 1)
  assert.equal((await t.post('b', body)).status, 202)
  t.advance(23 * 3_600_000)
  assert.equal(ran(await replays([gitHub])), 1)
})

test('what a route has ignored does not come in under another kind, which nobody signs; under its own it may', async () => {
  await using t = await open({ a: { events: ['push', 'watch'] } })
  const kind = (name: string) => ({ 'x-github-event': name, 'x-github-delivery': randomUUID() })
  const opened = { action: 'opened', issue: { title: 'x' }, repository: {} }
  assert.equal((await t.post('a', opened, kind('issues'))).body['status'], 'ignored')
  const forged = await t.post('a', opened, kind('push'))
  assert.deepEqual([forged.status, forged.body['error']], [400, 'The body is of another kind than push.'])
  // Nothing in this one tells its kind.
  const made = { action: 'created', organization: {} }
  assert.equal((await t.post('a', made, kind('organization'))).body['status'], 'ignored')
  assert.deepEqual((await t.post('a', made, kind('watch'))).body, { status: 'ignored', event: 'watch' })
  assert.equal(t.received.length, 0)
  await changeSubscriptions(t.home, () => routesSchema.parse({ b: { secret, events: ['push'] } }))
  assert.equal((await t.post('b', made, kind('organization'))).body['status'], 'ignored')
  await changeSubscriptions(t.home, () => routesSchema.parse({ b: { secret, events: ['push', 'organization'] } }))
  assert.equal((await t.post('b', made, kind('push'))).body['status'], 'ignored')
  assert.equal((await t.post('b', made, kind('organization'))).status, 202)
})

test('a sender of its own may say the same twice, and says by an id when it tries again', async () => {
  await using t = await open({ a: {} })
  const bell = { 'x-webhook-signature': sign('{"bell":"door"}') }
  const ring = async (headers = {}) => (await t.post('a', '{"bell":"door"}', { ...bell, ...headers })).status
  assert.deepEqual([await ring(), await ring()], [202, 202])
  const first = { 'idempotency-key': 'first' }
  assert.deepEqual([await ring(first), await ring(first), await ring({ 'idempotency-key': 'second' })], [202, 200, 202])
})

test('where nothing is signed only ids count, and Stripe is known by the id that it signs', async () => {
  await using t = await open({ a: {} })
  const token = { 'x-gitlab-token': secret }
  const ids = ['one', 'two', 'one']
  const statuses: number[] = []
  for (const id of ids) statuses.push((await t.post('a', {}, { ...token, 'idempotency-key': id })).status)
  assert.deepEqual(statuses, [202, 202, 200])
  const seconds = Math.floor(Date.now() / 1000)
  const brought = async (time: number, body: string) => {
    const headers = { 'stripe-signature': `t=${time},v1=${sign(`${time}.${body}`)}`, 'idempotency-key': randomUUID() }
    return (await t.post('a', body, headers)).status
  }
  // A further try is signed anew, and may say how many others wait.
  assert.equal(await brought(seconds, '{"id":"evt_9","pending_webhooks":2}'), 202)
  assert.equal(await brought(seconds + 5, '{"id":"evt_9","pending_webhooks":1}'), 200)
})

test('what a crash left half taken is the same event when it comes with another id', async () => {
  await using t = await open({ a: {} })
  t.breakStorage(new Error('the disk is full'))
  assert.equal((await t.post('a', {}, { 'x-github-delivery': 'one' })).status, 503)
  t.breakStorage(undefined)
  assert.equal((await t.post('a', {}, { 'x-github-delivery': 'two' })).body['delivery_id'], 'one')
})

test('a body that is too large is refused, whether it says its length or not', async () => {
  await using t = await open({ a: {} }, { max_body_bytes: 100 })
  assert.equal((await t.post('a', 'x'.repeat(101))).status, 413)
  const status = await new Promise((resolve, reject) => {
    const request = httpRequest(`${t.url}/webhooks/a`, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
    request.on('response', (response) => resolve(response.statusCode)).on('error', reject)
    request.write('x'.repeat(60))
    request.write('x'.repeat(60))
  })
  assert.equal(status, 413)
  assert.equal(t.received.length, 0)
})

test('an answer goes where its route wants it: a chat, also after a restart, a file, or the log', async () => {
  await using t = await open({
    chat: { deliver: 'Telegram', deliver_extra: { chat_id: '{room}', thread_id: 7 } },
    file: { deliver: 'local' },
    log: {},
    lost: { deliver: 'nowhere' },
  })
  const answer = async (route: string) => {
    await t.post(route, { room: 'Cased' }, { 'x-github-delivery': 'd' })
    await t.restart()
    const chat = { platform: 'webhook', chatId: `webhook:${route}:d`, chatType: 'dm' } as const
    const part = { type: 'text', text: `About ${route}.` } as const
    await t.connection.send(chat, part, { key: 'k' }, new AbortController().signal)
  }
  await answer('chat')
  await answer('file')
  await answer('log')
  assert.deepEqual(
    t.parcels.map(({ key, chat, text }) => [key, chat.chatId, text]),
    [['webhook:k', 'telegram:Cased:7', 'About chat.']],
  )
  assert.equal(await readFile(t.home.path('webhooks', 'file', 'd.md'), 'utf8'), 'About file.\n')
  await assert.rejects(answer('lost'), { name: 'PlatformError', code: 'refused' })
})

test('an answer is posted to the address of its route, whatever the event says, also after a restart', async () => {
  const posted: unknown[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push(JSON.parse(body))
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/{path}`
  await using t = await open({ a: { deliver: 'URL', deliver_extra: { url } }, b: { deliver: 'url' } })
  const answer = async (route: string) => {
    await t.post(route, { path: '../evil' }, { 'x-github-delivery': 'd' })
    await t.restart()
    const chat = { platform: 'webhook', chatId: `webhook:${route}:d`, chatType: 'dm' } as const
    assert.equal(await t.connection.asksElsewhere?.(chat), undefined)
    await t.connection.send(chat, { type: 'text', text: 'Done.' }, { key: 'k' }, new AbortController().signal)
  }
  await answer('a')
  assert.deepEqual(posted, [{ event_type: 'answer', route: 'a', delivery_id: 'd', text: 'Done.' }])
  await assert.rejects(answer('b'), { name: 'PlatformError', code: 'refused' })
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

test('routes that are made by command work at once; their file is for its owner alone, and a broken one changes nothing', async () => {
  await using t = await open({})
  await changeSubscriptions(t.home, () => routesSchema.parse({ made: { prompt: 'Hello', secret: 'own' } }))
  const path = t.home.path('webhook_subscriptions.json')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await t.post('made', {}, { 'x-gitlab-token': 'own' })).status, 202)
  await writeFile(path, '{"made": ')
  assert.equal((await t.post('made', {}, { 'x-gitlab-token': 'own' })).status, 202)
  await rm(path)
  assert.equal((await t.post('made', {}, { 'x-gitlab-token': 'own' })).status, 404)
})

test('a route without a secret does not start, and requests that are not signed are taken on loopback alone', async () => {
  assert.match(JSON.stringify(settingsOf({ routes: { a: {} } })), /\\"a\\" has no secret/)
  const open = { secret: 'INSECURE_NO_AUTH', routes: { a: {} } }
  assert.equal(settingsOf(open).state, 'incomplete')
  assert.equal(settingsOf({ ...open, host: '127.0.0.1' }).state, 'ready')
  assert.equal(settingsOf({ routes: { a: {} } }, { WEBHOOK_SECRET: 'x' }).state, 'ready')
})

test('what a template is given is bounded', () => {
  const payload = { list: ['x'.repeat(5_000)], own: { constructor: 'mine' } }
  assert.equal(renderTemplate('{list}', payload).length, 2_000)
  assert.equal(renderTemplate('{__raw__}', payload).length, 4_000)
  assert.equal(
    renderTemplate('{own.constructor} {toString} {own.__proto__}', payload),
    'mine {toString} {own.__proto__}',
  )
})
