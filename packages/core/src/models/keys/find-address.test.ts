import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { collectAnswer, startScriptedModel, temporaryHome } from '@hermes/testing'
import { openHome } from '../../config/home.ts'
import { systemClock } from '../../agent/clock.ts'
import { openCredentialPool } from '../../credentials/pool.ts'
import { silentLogger } from '../../log/logger.ts'
import { createHttpClient } from '../net/http-client.ts'
import { zai } from '../providers/zai.ts'
import { createRateLimitBook } from '../rate-limits.ts'
import { keptAddresses } from '../resolution/kept-addresses.ts'
import { createOpenedProviders } from '../resolution/opened-providers.ts'
import { speechOf } from '../speech.ts'
import { createAddressFinder } from './find-address.ts'
import type { FoundAddress, KeptAddresses } from './find-address.ts'
import { fixedKey } from './keys.ts'

const never = new AbortController().signal
const key = 'made-up-key-of-the-plan'

/** Two addresses of a provider, the second of which takes the key. */
async function setUp() {
  const wrong = await startScriptedModel(() => ({ text: 'no' }), { apiKey: 'another' })
  const right = await startScriptedModel(() => ({ text: 'pong' }), { apiKey: key })
  const addresses = [
    { id: 'global', label: 'Global', baseUrl: wrong.url, model: 'glm-5' },
    { id: 'coding-cn', label: 'China (Coding Plan)', baseUrl: right.url, model: 'glm-4.7' },
  ]
  const tried = () => [wrong.requests.length, right.requests.length]
  const dispose = async () => {
    await Promise.all([wrong.close(), right.close()])
  }
  return { wrong, right, addresses, tried, [Symbol.asyncDispose]: dispose }
}

/** A keeper in memory. */
function keeper(): KeptAddresses & { readonly found: FoundAddress[] } {
  const found: FoundAddress[] = []
  return {
    found,
    read: async (_provider, keyHash) => found.findLast((one) => one.keyHash === keyHash)?.address.baseUrl,
    write: async (_provider, one) => void found.push(one),
  }
}

test('the address that takes a key is found once, by the smallest of calls, however many ask', async () => {
  await using all = await setUp()
  const kept = keeper()
  const options = { provider: 'zai', addresses: all.addresses, http: createHttpClient({}), kept }
  const finder = createAddressFinder(options)
  const found = await Promise.all(Array.from({ length: 8 }, () => finder.find(key, never)))
  assert.deepEqual(new Set(found), new Set([all.right.url]))
  assert.deepEqual(all.tried(), [1, 1])
  assert.equal(all.right.requests[0]?.body['max_tokens'], 1)
  assert.deepEqual(
    kept.found.map(({ address }) => address.id),
    ['coding-cn'],
  )
  assert.equal(await createAddressFinder(options).find(key, never), all.right.url, 'the next run knows it')
  assert.deepEqual(all.tried(), [1, 1])
})

test('where no address takes a key nothing is kept, and it is tried again after a minute', async () => {
  await using all = await setUp()
  const kept = keeper()
  let nowMs = 0
  const http = createHttpClient({})
  const finder = createAddressFinder({ provider: 'zai', addresses: all.addresses, http, kept, now: () => nowMs })
  for (let use = 0; use < 3; use++) assert.equal(await finder.find('no-such-key', never), undefined)
  assert.deepEqual([all.tried(), kept.found.length], [[1, 1], 0])
  nowMs = 60_001
  await finder.find('no-such-key', never)
  assert.deepEqual(all.tried(), [2, 2])
})

test('an address that refuses its key is looked for anew', async () => {
  await using all = await setUp()
  const finder = createAddressFinder({
    provider: 'zai',
    addresses: all.addresses,
    http: createHttpClient({}),
    kept: keeper(),
  })
  await finder.find(key, never)
  finder.forget(key)
  assert.equal(await finder.find(key, never), all.right.url)
  assert.deepEqual(all.tried(), [2, 2])
})

test('calls go to the address that takes the key, which auth.json remembers in the form that homes have it in', async () => {
  await using all = await setUp()
  await using home = await temporaryHome({
    'auth.json': '{"active_provider": "nous", "providers": {"zai": {"mine": 1}}}',
  })
  const environment = { ...home.environment, GLM_API_KEY: key }
  const open = () => openCredentialPool({ home: openHome(environment), environment, clock: systemClock('UTC') })
  const sources = { environment, home: openHome(environment), credentials: async () => open() }
  const opened = createOpenedProviders(
    createHttpClient({}),
    createRateLimitBook(),
    keptAddresses(sources, silentLogger),
  )
  const baseUrl = zai.baseUrl ?? ''
  const limits = () => ({ connectMs: 5000, silenceMs: 5000, progressMs: 5000, totalMs: 5000 })
  const provider = await opened.open(
    {
      place: { name: 'zai', label: 'Z.AI', baseUrl, keyHint: '', isLocal: false, limits },
      facts: { ...zai, addresses: all.addresses },
      isPlaced: false,
      keys: fixedKey(key),
      keyName: 'GLM_API_KEY',
      speech: (model) => speechOf(zai, baseUrl, model, undefined),
    },
    'glm-5',
  )
  const request = { model: 'glm-5', messages: [{ role: 'user' as const, content: 'hi' }], tools: [] }
  const { message } = await collectAnswer(provider.stream(request, never))
  assert.equal(message.content, 'pong')
  const document = JSON.parse(await readFile(home.path('auth.json'), 'utf8')) as Record<string, unknown>
  assert.deepEqual(document['providers'], {
    zai: {
      mine: 1,
      detected_endpoint: {
        base_url: all.right.url,
        endpoint_id: 'coding-cn',
        model: 'glm-4.7',
        label: 'China (Coding Plan)',
        key_hash: '7a01e962da68ad7c',
      },
    },
  })
  assert.equal(document['active_provider'], 'nous')
  assert.equal((await open().acquire('zai', never)).baseUrl, all.right.url, 'the pool sends the key there too')
})
