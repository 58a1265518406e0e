import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { collectAnswer, startScriptedModel, temporaryHome } from '@hermes/testing'
import type { CollectedAnswer, RecordedRequest, Script } from '@hermes/testing'
import { startOAuthServer } from '@hermes/testing/oauth-server/server.ts'
import { poolSettings } from '../../credentials/endpoints.ts'
import { openCredentialPool } from '../../credentials/pool.ts'
import { authJson } from '../../credentials/test-pool.ts'
import { openHome } from '../../config/home.ts'
import { configSchema } from '../../config/schema.ts'
import type { Config } from '../../config/schema.ts'
import { silentLogger } from '../../log/logger.ts'
import { createModels } from '../create-models.ts'
import { manualClock } from '../../credentials/manual-clock.ts'

const never = new AbortController().signal

interface Given {
  readonly auth?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly config?: Readonly<Record<string, unknown>>
  readonly nowMs?: number
}

/** OpenRouter at a server of ours, with the keys that a home has. */
async function setUp(script: Script, { auth, environment = {}, config = {}, nowMs }: Given) {
  const server = await startScriptedModel(script)
  const home = await temporaryHome(auth === undefined ? {} : { 'auth.json': auth })
  const all = { ...home.environment, OPENROUTER_BASE_URL: server.url, ...environment }
  // The schema's own output, frozen by the loader; only the type says so here.
  const parsed = configSchema.parse({ model: 'm', ...config }) as unknown as Config
  const clock = nowMs === undefined ? { now: () => Date.now(), timeZone: 'UTC' } : manualClock(nowMs)
  const pool = openCredentialPool({
    home: openHome(all),
    environment: all,
    clock,
    ...poolSettings(parsed, all),
  })
  let opened = 0
  const models = createModels({
    config: parsed,
    environment: all,
    home: openHome(all),
    log: silentLogger,
    localServers: [],
    credentials: async () => {
      opened++
      return pool
    },
  })
  const ask = async (): Promise<CollectedAnswer> => {
    const { provider, model } = await models.resolve(undefined, never)
    return collectAnswer(provider.stream({ model, messages: [{ role: 'user', content: 'hi' }], tools: [] }, never))
  }
  return {
    server,
    home,
    pool,
    ask,
    used: () => server.requests.map(keyOf),
    opened: () => opened,
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      await server.close()
      await home[Symbol.asyncDispose]()
    },
  }
}

function keyOf({ headers }: RecordedRequest): string {
  return String(headers['authorization'] ?? headers['x-api-key']).replace('Bearer ', '')
}

const two = authJson({ openrouter: ['made-up-key-1', 'made-up-key-2'] })
const limited = (ms: number) => ({
  fault: { type: 'http', status: 429, headers: { 'retry-after-ms': String(ms) }, message: 'slow down' } as const,
})
const refused = (status: number) => ({ fault: { type: 'http', status, message: 'no' } as const })
const ok = { text: 'ok' }

test('a key that only the environment holds is used without the pool, and nothing is written', async () => {
  await using all = await setUp([ok, limited(5), ok], { environment: { OPENROUTER_API_KEY: 'made-up-env-key' } })
  assert.equal((await all.ask()).message.content, 'ok')
  await assert.rejects(all.ask(), { code: 'rate-limited', retryAfterMs: 5 })
  await all.ask()
  assert.deepEqual(all.used(), ['made-up-env-key', 'made-up-env-key', 'made-up-env-key'])
  assert.equal(all.opened(), 0)
  assert.equal(existsSync(all.home.path('auth.json')), false)
})

const rotations: readonly [what: string, answers: readonly object[], used: readonly number[], notices: number][] = [
  [
    'the first rate limit tries the same key again, the second one the next',
    [limited(30), limited(60_000), ok],
    [1, 1, 2],
    2,
  ],
  ['a rate limit that is over soon costs no key', [limited(30), ok], [1, 1], 1],
  ['a rate limit that lasts is not waited for', [limited(60_000), ok], [1, 2], 1],
  ['a key that must be paid for gives way at once', [refused(402), ok], [1, 2], 1],
  ['a refused key gives way at once', [refused(401), ok], [1, 2], 1],
  ['a forbidden key gives way at once', [refused(403), ok], [1, 2], 1],
]
for (const [what, answers, used, notices] of rotations) {
  test(what, async () => {
    await using all = await setUp(answers, { auth: two })
    const { message, events } = await all.ask()
    assert.equal(message.content, 'ok')
    assert.deepEqual(
      all.used(),
      used.map((n) => `made-up-key-${n}`),
    )
    assert.equal(events.filter((event) => event.type === 'notice').length, notices)
  })
}

test('failures that are not of the key leave it as it is', async () => {
  for (const [status, code] of [
    [500, 'server'],
    [503, 'overloaded'],
    [404, 'model-not-found'],
    [400, 'invalid-request'],
  ] as const) {
    await using all = await setUp([refused(status), ok], { auth: two })
    await assert.rejects(all.ask(), { code })
    await all.ask()
    assert.deepEqual(all.used(), ['made-up-key-1', 'made-up-key-1'])
  }
})

test('a key that rests is left alone until its time, and not longer', async () => {
  const start = Date.UTC(2026, 0, 1)
  await using all = await setUp((request) => (keyOf(request).endsWith('1') ? limited(60_000) : ok), { auth: two })
  await all.ask()
  await all.ask()
  assert.deepEqual(all.used(), ['made-up-key-1', 'made-up-key-2', 'made-up-key-2'])
  const [first] = await all.pool.list('openrouter')
  assert.equal(first?.state.name, 'cooling')

  // The same file a minute later, and a moment before.
  const file = await readFile(all.home.path('auth.json'), 'utf8')
  const reset = first?.state.name === 'cooling' ? first.state.untilMs : start
  for (const [nowMs, key] of [
    [reset - 1, 'made-up-key-2'],
    [reset, 'made-up-key-1'],
  ] as const) {
    await using later = await setUp([ok], { auth: file, nowMs })
    await later.ask()
    assert.deepEqual(later.used(), [key])
  }
})

test('the only key is not held to an hour for a limit of unknown length', async () => {
  const auth = authJson({ openrouter: ['made-up-key-1'] })
  await using all = await setUp([limited(30), refused(429), ok], { auth })
  await assert.rejects(all.ask(), { code: 'rate-limited', retryAfterMs: undefined })
  assert.deepEqual(all.used(), ['made-up-key-1', 'made-up-key-1'])
  assert.equal((await all.ask()).message.content, 'ok')
})

test('when every key rests, it is said until when', async () => {
  await using all = await setUp(() => limited(600_000), { auth: two })
  await assert.rejects(all.ask(), { code: 'rate-limited' })
  await assert.rejects(all.ask(), {
    code: 'rate-limited',
    message: /Every credential of OpenRouter is resting.*back at/,
  })
  assert.equal(all.server.requests.length, 2)
})

test('each request counts once', async () => {
  await using all = await setUp([ok, refused(401), ok, ok], { auth: two })
  for (let n = 0; n < 3; n++) await all.ask()
  const counts = (await all.pool.list('openrouter')).map(({ requestCount }) => requestCount)
  assert.deepEqual(counts, [2, 2])
})

test('a stream that fails for its key is not taken up with another one once something was said', async () => {
  const error = { type: 'rate_limit_error', message: 'slow down' }
  await using all = await setUp([{ text: ['a', 'b'], fault: { type: 'error-object', afterChunks: 2, error } }, ok], {
    auth: two,
  })
  await assert.rejects(all.ask(), { code: 'rate-limited' })
  assert.equal(all.server.requests.length, 1)
})

test('an endpoint of one’s own may have several keys in the pool', async () => {
  await using server = await startScriptedModel([refused(401), ok])
  await using all = await setUp([], {
    auth: authJson({ 'custom:my-lab': ['made-up-lab-1', 'made-up-lab-2'] }),
    config: {
      custom_providers: [{ name: 'My Lab', base_url: server.url, model: 'lab' }],
      model: { provider: 'my-lab' },
    },
  })
  await all.ask()
  assert.deepEqual(server.requests.map(keyOf), ['made-up-lab-1', 'made-up-lab-2'])
})

test('a sign-in of Nous becomes a key for the model, and is renewed once when that is refused', async () => {
  await using oauth = await startOAuthServer()
  await using server = await startScriptedModel((request, n) => (n === 1 ? refused(401) : { text: keyOf(request) }))
  const { access_token: accessToken, refresh_token: refreshToken } = oauth.issue()
  const state = {
    access_token: accessToken,
    refresh_token: refreshToken,
    portal_base_url: oauth.url,
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  }
  await using all = await setUp([], {
    auth: JSON.stringify({ version: 1, providers: { nous: state }, credential_pool: {} }),
    environment: { NOUS_INFERENCE_BASE_URL: server.url },
    config: { model: { provider: 'nous', default: 'hermes' } },
  })
  const first = (await all.ask()).message.content
  assert.notEqual(first, accessToken)
  const second = (await all.ask()).message.content
  assert.notEqual(second, first)
  assert.deepEqual(server.requests.map(keyOf), [first, first, second])
  assert.deepEqual(server.requests[0]?.body['tags'], ['product=hermes-agent'])
})

test('a sign-in of Codex tells its account', async () => {
  await using server = await startScriptedModel([ok])
  const claims = { 'https://api.openai.com/auth': { chatgpt_account_id: 'account-7' }, exp: Date.now() / 1000 + 7200 }
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`
  const state = { tokens: { access_token: token, refresh_token: 'made-up-refresh' }, auth_mode: 'chatgpt' }
  await using all = await setUp([], {
    auth: JSON.stringify({ version: 1, providers: { 'openai-codex': state }, credential_pool: {} }),
    environment: { HERMES_CODEX_BASE_URL: server.url },
    config: { model: { provider: 'codex', default: 'gpt-5.3-codex', max_tokens: 99 } },
  })
  await all.ask()
  const [request] = server.requests
  assert.equal(request?.wire, 'responses')
  assert.equal(request?.headers['chatgpt-account-id'], 'account-7')
  assert.equal(request?.headers['authorization'], `Bearer ${token}`)
  assert.ok(request?.body['instructions'])
})

const sources: readonly [what: string, given: Given, provider: string][] = [
  ['OpenRouter before all others', { auth: two, environment: { ANTHROPIC_API_KEY: 'made-up-key' } }, 'openrouter'],
  [
    'a sign-in of Nous before a key of Anthropic',
    {
      auth: JSON.stringify({
        providers: { nous: { access_token: 'made-up-token', refresh_token: 'made-up-refresh' } },
      }),
      environment: { ANTHROPIC_API_KEY: 'made-up-key' },
    },
    'nous',
  ],
  [
    'Anthropic before the direct ones',
    { environment: { ANTHROPIC_API_KEY: 'made-up-key', OPENAI_API_KEY: 'made-up' } },
    'anthropic',
  ],
  ['a key that was added before none', { auth: authJson({ deepseek: ['made-up-key'] }) }, 'deepseek'],
  ['no token that is there for git', { environment: { GH_TOKEN: 'gho_made_up' } }, 'offline'],
]
for (const [what, { auth, environment = {} }, provider] of sources) {
  test(`auto chooses ${what}`, async () => {
    await using home = await temporaryHome(auth === undefined ? {} : { 'auth.json': auth })
    const all = { ...home.environment, ...environment }
    const config = configSchema.parse({}) as unknown as Config
    const clock = { now: () => Date.now(), timeZone: 'UTC' }
    const credentials = async () =>
      openCredentialPool({ home: openHome(all), environment: all, clock, ...poolSettings(config, all) })
    const models = createModels({
      config,
      environment: all,
      home: openHome(all),
      log: silentLogger,
      credentials,
      localServers: [],
    })
    // These have no model of their own choice.
    const wanted = provider === 'nous' || provider === 'deepseek' ? 'm' : undefined
    assert.equal((await models.resolve(wanted, never)).provider.name, provider)
  })
}
