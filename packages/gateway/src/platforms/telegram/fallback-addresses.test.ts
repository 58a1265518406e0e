import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { openOutbound } from '../../http/outbound.ts'
import { openClient } from './client.ts'
import { createFallbackAddresses, discoverAddresses } from './fallback-addresses.ts'
import type { FallbackOptions } from './fallback-addresses.ts'
import { readSettings } from './settings.ts'

const never = new AbortController().signal
const host = 'api.telegram.test'

/** The service at one address of this machine; the system leads to another one, where nobody listens. */
async function open({ status = 200, ...options }: Partial<FallbackOptions> & { readonly status?: number } = {}) {
  const asked: (string | undefined)[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers.host)
    if (status !== 200) return void request.socket.destroy()
    response.end(JSON.stringify({ ok: true, result: { id: 1, is_bot: true, first_name: 'Bot' } }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const tries: string[] = []
  const fallback = createFallbackAddresses({
    host,
    addresses: [],
    resolve: async (name) => {
      tries.push(name)
      return [{ address: '127.0.0.9', family: 4 }]
    },
    discover: async () => ['127.0.0.8', '127.0.0.1'],
    ...options,
  })
  const setup = readSettings(configSchema.parse({}), { TELEGRAM_BOT_TOKEN: '1:made-up' })
  assert.ok(setup.state === 'ready')
  const client = openClient({ ...setup.settings, apiRoot: `http://${host}:${port}` }, {}, fallback)
  return { client, asked, port, tries, fallback, [Symbol.asyncDispose]: () => closeAll(server, client) }
}

async function closeAll(server: Server, client: { close(): void }) {
  client.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

test('where the service’s address does not answer, others are tried under the same name, and the one that does stays', async () => {
  await using t = await open()
  assert.equal((await t.client.call('getMe', {}, { signal: never })).id, 1)
  assert.deepEqual(t.asked, [`${host}:${t.port}`])
  const { promise, resolve } = Promise.withResolvers<readonly unknown[]>()
  t.fallback.lookup(host, { all: true }, (_error, found) => resolve(found as never))
  assert.deepEqual(
    (await promise).map((one) => (one as { address: string }).address),
    ['127.0.0.1', '127.0.0.9', '127.0.0.8'],
  )
})

test('addresses that people name are taken instead of looking for some; a name that nobody knows is no matter', async () => {
  await using t = await open({
    addresses: ['127.0.0.1'],
    resolve: async () => Promise.reject(new Error('getaddrinfo ENOTFOUND api.telegram.test')),
    discover: async () => assert.fail('looked for'),
  })
  assert.equal((await t.client.call('getMe', {}, { signal: never })).id, 1)
})

test('what breaks after connecting is tried at no other address: the service may have taken it', async () => {
  await using t = await open({
    status: 500,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    discover: async () => assert.fail('looked for'),
  })
  await assert.rejects(t.client.call('getMe', {}, { signal: never }), { code: 'uncertain' })
  assert.equal(t.asked.length, 1)
})

test('where no address answers, the call was not sent', async () => {
  await using t = await open({ discover: async () => ['127.0.0.8'] })
  await assert.rejects(t.client.call('getMe', {}, { signal: never }), { code: 'unreachable' })
})

test('resolvers over HTTPS give public addresses that the system does not know, or else the one of old is taken', async () => {
  const said = { Answer: ['149.154.166.110', '10.0.0.1', '127.0.0.1', '::1', 'x'].map((data) => ({ type: 1, data })) }
  const server = createServer((_request, response) => void response.end(JSON.stringify(said)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const urls = [`http://127.0.0.1:${(server.address() as AddressInfo).port}/resolve`, 'http://127.0.0.9:9/']
  const outbound = openOutbound({})
  const found = (known: readonly string[]) => discoverAddresses('api.telegram.org', known, { outbound, urls }, never)
  assert.deepEqual(await found([]), ['149.154.166.110'])
  assert.deepEqual(await found(['149.154.166.110']), ['149.154.167.220'])
  await closeAll(server, outbound)
})

test('settings name public addresses, and can switch all of it off', () => {
  const of = (environment: Readonly<Record<string, string>>, extra = {}) => {
    const config = configSchema.parse({ platforms: { telegram: { extra } } })
    const setup = readSettings(config, { TELEGRAM_BOT_TOKEN: '1:made-up', ...environment })
    return setup.state === 'ready' ? setup.settings.fallback?.addresses : setup.state
  }
  assert.deepEqual(of({ TELEGRAM_FALLBACK_IPS: '149.154.167.220, 192.168.0.1,::1,x' }), ['149.154.167.220'])
  assert.deepEqual(of({}, { fallback_ips: ['149.154.167.221'] }), ['149.154.167.221'])
  assert.deepEqual(of({}), [])
  assert.equal(of({ HERMES_TELEGRAM_DISABLE_FALLBACK_IPS: 'true' }), undefined)
  assert.equal(of({}, { base_url: 'http://127.0.0.1:1/bot' }), undefined)
})
