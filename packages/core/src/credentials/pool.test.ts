import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import type { ModelErrorCode } from '../models/model-error.ts'
import { CredentialError } from './credential-error.ts'
import type { PoolStrategy } from './strategy.ts'
import { authJson, openTestPool, signal } from './test-pool.ts'

const three = { openrouter: ['made-up-key-a', 'made-up-key-b', 'made-up-key-c'] }

interface StoredEntry {
  readonly id: string
  readonly source: string
  readonly priority: number
  readonly request_count: number
  readonly last_status: string | null
  readonly last_error_code: number | null
}

async function storedPool(path: string, provider: string): Promise<readonly StoredEntry[]> {
  const document = JSON.parse(await readFile(path, 'utf8')) as { credential_pool: Record<string, StoredEntry[]> }
  return document.credential_pool[provider] ?? []
}

const rotations: readonly [strategy: PoolStrategy, order: readonly string[]][] = [
  ['fill_first', ['key-1', 'key-1', 'key-1', 'key-2', 'key-2', 'key-2']],
  ['round_robin', ['key-1', 'key-2', 'key-3', 'key-2', 'key-3', 'key-2']],
  ['least_used', ['key-1', 'key-2', 'key-3', 'key-2', 'key-3', 'key-2']],
  ['random', ['key-2', 'key-2', 'key-2', 'key-3', 'key-3', 'key-3']],
]

for (const [strategy, order] of rotations) {
  test(`${strategy} lends keys in its order, and goes on without one that rests`, async () => {
    await using home = await temporaryHome({ 'auth.json': authJson(three) })
    const { pool } = openTestPool(home.environment, { strategies: { openrouter: strategy }, random: () => 0.5 })
    const lent: string[] = []
    for (let use = 0; use < 6; use++) {
      const lease = await pool.acquire('openrouter', signal)
      lent.push(lease.id)
      // The third request finds its key used up; another one of the first key does for strategies that are at the last.
      if (use !== 2) await lease.report('ok')
      else if (lease.id === 'key-3') await restOf('key-1')
      else await lease.report({ code: 'rate-limited', retryAfterMs: 60_000 })
    }
    assert.deepEqual(lent, order)

    async function restOf(id: string): Promise<void> {
      const { pool: other } = openTestPool(home.environment)
      const lease = await other.acquire('openrouter', signal)
      assert.equal(lease.id, id)
      await lease.report({ code: 'rate-limited', retryAfterMs: 60_000 })
    }
  })
}

const failures: readonly [code: ModelErrorCode, restsMs: number | undefined, status: number | null][] = [
  ['rate-limited', 3_600_000, 429],
  ['payment', 3_600_000, 402],
  ['auth', 3_600_000, 401],
  ['overloaded', undefined, null],
  ['server', undefined, null],
  ['network', undefined, null],
  ['timeout', undefined, null],
  ['invalid-request', undefined, null],
  ['context-overflow', undefined, null],
]

for (const [code, restsMs, status] of failures) {
  test(`after ${code} a key ${restsMs === undefined ? 'goes on' : 'rests for an hour'}`, async () => {
    await using home = await temporaryHome({ 'auth.json': authJson({ xai: ['made-up-key-a'] }) })
    const { pool, clock } = openTestPool(home.environment)
    await (await pool.acquire('xai', signal)).report({ code, message: 'no' })
    if (restsMs === undefined) {
      await pool.acquire('xai', signal)
      return
    }
    const availableAtMs = clock.now() + restsMs
    await assert.rejects(pool.acquire('xai', signal), { code: 'cooling', availableAtMs })
    clock.advance(restsMs - 1)
    await assert.rejects(pool.acquire('xai', signal), { code: 'cooling' })
    clock.advance(1)
    await (await pool.acquire('xai', signal)).report('ok')
    const [entry] = await storedPool(home.path('auth.json'), 'xai')
    assert.equal(entry?.last_error_code, status)
    await pool.save()
    const [healed] = await storedPool(home.path('auth.json'), 'xai')
    assert.deepEqual([healed?.last_status, healed?.last_error_code, healed?.request_count], ['ok', null, 2])
  })
}

test("the provider's own time is kept, be it in the header or in its words", async () => {
  await using home = await temporaryHome({ 'auth.json': authJson({ xai: ['made-up-key-a', 'made-up-key-b'] }) })
  const { pool, clock } = openTestPool(home.environment)
  await (await pool.acquire('xai', signal)).report({ code: 'rate-limited', retryAfterMs: 90_000 })
  await (await pool.acquire('xai', signal)).report({ code: 'payment', message: 'Please try again in 30s.' })
  await assert.rejects(pool.acquire('xai', signal), (error) => {
    assert.ok(error instanceof CredentialError)
    assert.equal(error.availableAtMs, clock.now() + 30_000)
    assert.match(error.message, /hermes auth add xai/)
    return true
  })
})

const upstreamResets: readonly [name: string, reset: (ms: number) => unknown][] = [
  ['seconds', (ms) => ms / 1000],
  ['milliseconds', (ms) => ms],
  ['ISO text', (ms) => new Date(ms).toISOString()],
  ['nothing, but when it began', () => null],
]
for (const [name, reset] of upstreamResets) {
  test(`a rest that upstream wrote is kept, its end given as ${name}`, async () => {
    await using home = await temporaryHome()
    const { pool, clock } = openTestPool(home.environment)
    const untilMs = clock.now() + 60_000
    const stored = JSON.parse(authJson({ xai: ['made-up-key-a'] })) as { credential_pool: { xai: object[] } }
    Object.assign(stored.credential_pool.xai[0] ?? {}, {
      last_status: 'exhausted',
      last_status_at: untilMs / 1000 - 3600,
      last_error_reset_at: reset(untilMs),
    })
    await writeFile(home.path('auth.json'), JSON.stringify(stored))
    await assert.rejects(pool.acquire('xai', signal), { code: 'cooling', availableAtMs: untilMs })
    clock.advance(60_000)
    assert.equal((await pool.acquire('xai', signal)).id, 'key-1')
  })
}

test('processes share what they learn: one rests a key, the other does not lend it', async () => {
  await using home = await temporaryHome({ 'auth.json': authJson(three) })
  const { pool, clock } = openTestPool(home.environment)
  const { pool: other } = openTestPool(home.environment, { clock })
  const [mine, theirs] = [await pool.acquire('openrouter', signal), await other.acquire('openrouter', signal)]
  assert.equal(mine.id, theirs.id)
  await mine.report({ code: 'rate-limited', retryAfterMs: 100_000 })
  await theirs.report({ code: 'rate-limited', retryAfterMs: 1000 })
  clock.advance(50_000)
  assert.equal((await other.acquire('openrouter', signal)).id, 'key-2', 'the longer rest holds')
})

test('a key that is refused while others are in flight is not lent from that moment on', async () => {
  await using home = await temporaryHome({ 'auth.json': authJson(three) })
  const { pool } = openTestPool(home.environment)
  const lease = await pool.acquire('openrouter', signal)
  const reported = lease.report({ code: 'rate-limited' })
  assert.notEqual((await pool.acquire('openrouter', signal)).id, lease.id)
  await reported
})

test('200 requests at once over 3 keys: none gets a resting key, and each is counted once', async () => {
  await using home = await temporaryHome({ 'auth.json': authJson(three) })
  const { pool, clock } = openTestPool(home.environment, { strategies: { openrouter: 'least_used' } })
  const restingUntil = new Map<string, number>()
  let lent = 0
  let turn = 0
  const request = async (): Promise<void> => {
    for (;;) {
      try {
        const lease = await pool.acquire('openrouter', signal)
        lent += 1
        assert.ok((restingUntil.get(lease.id) ?? 0) <= clock.now(), `${lease.id} rests`)
        turn += 1
        if (turn % 7 !== 0) return await lease.report('ok')
        restingUntil.set(lease.id, clock.now() + 5000)
        await lease.report({ code: 'rate-limited', retryAfterMs: 5000 })
      } catch (error) {
        if (!(error instanceof CredentialError) || error.code !== 'cooling') throw error
        clock.advance(Math.max(0, (error.availableAtMs ?? 0) - clock.now()))
      }
    }
  }
  await Promise.all(Array.from({ length: 200 }, request))
  await pool.save()
  const counts = (await storedPool(home.path('auth.json'), 'openrouter')).map((entry) => entry.request_count)
  assert.equal(
    counts.reduce((sum, one) => sum + one, 0),
    lent,
  )
})

test('requests that go well write nothing until there are many, or the end', async () => {
  await using home = await temporaryHome({ 'auth.json': authJson(three) })
  const { pool } = openTestPool(home.environment)
  const before = await stat(home.path('auth.json'))
  for (let use = 0; use < 20; use++) await (await pool.acquire('openrouter', signal)).report('ok')
  assert.equal((await stat(home.path('auth.json'))).ino, before.ino)
  assert.equal((await pool.list('openrouter'))[0]?.requestCount, 20, 'but they are known')
  await pool[Symbol.asyncDispose]()
  assert.equal((await storedPool(home.path('auth.json'), 'openrouter'))[0]?.request_count, 20)
  await pool[Symbol.asyncDispose]()
  assert.equal((await storedPool(home.path('auth.json'), 'openrouter'))[0]?.request_count, 20, 'and counted once')
})

test('one program after the other takes keys in turn with round_robin', async () => {
  const environment = { GOOGLE_API_KEY: 'made-up-key-1', GEMINI_API_KEY: 'made-up-key-2' }
  await using home = await temporaryHome()
  const lent: string[] = []
  for (let run = 0; run < 4; run++) {
    const { pool } = openTestPool({ ...home.environment, ...environment }, { strategies: { gemini: 'round_robin' } })
    lent.push((await pool.acquire('gemini', signal)).secret)
    await pool[Symbol.asyncDispose]()
  }
  assert.deepEqual(lent, ['made-up-key-1', 'made-up-key-2', 'made-up-key-1', 'made-up-key-2'])
})

test('keys of the environment need no file, and none is made for using them', async () => {
  await using home = await temporaryHome()
  const { pool } = openTestPool({ ...home.environment, XAI_API_KEY: 'made-up-key-1' })
  const lease = await pool.acquire('xai', signal)
  await lease.report('ok')
  await pool[Symbol.asyncDispose]()
  assert.deepEqual([lease.secret, lease.source], ['made-up-key-1', 'env:XAI_API_KEY'])
  assert.equal(lease.baseUrl, 'https://api.x.ai/v1')
  await assert.rejects(stat(home.path('auth.json')), { code: 'ENOENT' })
})

test('a key of the environment that was changed is forgiven what the old one did; one that was taken out is gone', async () => {
  await using home = await temporaryHome()
  const { pool, clock } = openTestPool({ ...home.environment, XAI_API_KEY: 'made-up-key-1' })
  await (await pool.acquire('xai', signal)).report({ code: 'payment' })
  const { pool: again } = openTestPool({ ...home.environment, XAI_API_KEY: 'made-up-key-1' }, { clock })
  await assert.rejects(again.acquire('xai', signal), { code: 'cooling' })
  const { pool: changed } = openTestPool({ ...home.environment, XAI_API_KEY: 'made-up-key-2' }, { clock })
  assert.equal((await changed.acquire('xai', signal)).secret, 'made-up-key-2')
  const { pool: without } = openTestPool(home.environment, { clock })
  await assert.rejects(without.acquire('xai', signal), { code: 'none' })
})

test('what templates put in place of a key is no key', async () => {
  await using home = await temporaryHome()
  const environment = { ...home.environment, XAI_API_KEY: 'your-api-key', GLM_API_KEY: '***', ZAI_API_KEY: 'abc' }
  const { pool } = openTestPool(environment)
  for (const provider of ['xai', 'zai']) {
    assert.equal(await pool.has(provider), false)
    await assert.rejects(pool.acquire(provider, signal), { code: 'none' })
  }
})

test('a missing credential is told with the variable and the command that help', async () => {
  await using home = await temporaryHome()
  const { pool } = openTestPool(home.environment)
  await assert.rejects(pool.acquire('deepseek', signal), {
    code: 'none',
    message: /DeepSeek.*DEEPSEEK_API_KEY.*hermes auth add deepseek/,
  })
})

test('base addresses follow the environment, then the key, then what was found out about it', async () => {
  await using home = await temporaryHome({
    'auth.json': JSON.stringify({
      providers: {
        zai: { detected_endpoint: { base_url: 'https://detected.example/v4', key_hash: '1bd845a55bd9794d' } },
      },
    }),
  })
  const baseUrl = async (provider: string, environment: Readonly<Record<string, string>>) =>
    (await openTestPool({ ...home.environment, ...environment }).pool.acquire(provider, signal)).baseUrl
  assert.equal(await baseUrl('kimi-coding', { KIMI_API_KEY: 'made-up' }), 'https://api.moonshot.ai/v1')
  assert.equal(await baseUrl('kimi-coding', { KIMI_API_KEY: 'sk-kimi-made-up' }), 'https://api.kimi.com/coding/v1')
  const own = { KIMI_API_KEY: 'sk-kimi-made-up', KIMI_BASE_URL: 'https://own.example/v1/' }
  assert.equal(await baseUrl('kimi-coding', own), 'https://own.example/v1')
  assert.equal(await baseUrl('zai', { GLM_API_KEY: 'made-up-detected' }), 'https://detected.example/v4')
  assert.equal(await baseUrl('zai', { GLM_API_KEY: 'made-up-other' }), 'https://api.z.ai/api/paas/v4')
  const endpoint = { pool: 'openai', source: 'model_config', baseUrl: 'http://proxy/v1', key: 'made-up-key' }
  const environment = { ...home.environment, OPENAI_BASE_URL: 'http://other/v1' }
  const { pool } = openTestPool(environment, { endpoints: [endpoint] })
  assert.equal((await pool.acquire('openai', signal)).baseUrl, 'http://proxy/v1')
})

test('a key is only shown to the server that it is for', async () => {
  await using home = await temporaryHome()
  const secrets = async (provider: string, environment: Readonly<Record<string, string>>) =>
    (await openTestPool({ ...home.environment, ...environment }).pool.view(provider)).map(
      ({ entry }) => entry.access_token,
    )
  const keys = {
    OPENAI_API_KEY: 'made-up-openai',
    OPENROUTER_API_KEY: 'made-up-router',
    OLLAMA_API_KEY: 'made-up-ollama',
  }
  assert.deepEqual(await secrets('openrouter', keys), ['made-up-router'])
  assert.deepEqual(await secrets('openrouter', { OPENAI_API_KEY: 'sk-or-made-up' }), ['sk-or-made-up'])
  const at = (url: string) => secrets('custom', { ...keys, OPENAI_BASE_URL: url })
  assert.deepEqual(await at('https://my.example/v1'), ['made-up-openai'])
  assert.deepEqual(await at('https://ollama.com/v1'), ['made-up-ollama', 'made-up-openai'])
  assert.deepEqual(await at('https://ollama.com.evil.example/v1'), ['made-up-openai'])
})

test('Anthropic is paid by subscription before it is paid by use, and by what was added by hand first of all', async () => {
  await using home = await temporaryHome({
    'auth.json': authJson({ anthropic: ['made-up-manual'] }),
    '.claude/.credentials.json': JSON.stringify({ claudeAiOauth: { accessToken: 'made-up-claude', expiresAt: 4e12 } }),
    '.anthropic_oauth.json': JSON.stringify({ accessToken: 'made-up-pkce', refreshToken: 'made-up', expiresAt: 4e12 }),
  })
  const environment = {
    ...home.environment,
    ANTHROPIC_API_KEY: 'made-up-api-key',
    CLAUDE_CODE_OAUTH_TOKEN: 'made-up-code-token',
    ANTHROPIC_TOKEN: 'sk-ant-oat01-made-up',
  }
  const { pool } = openTestPool(environment, { chosen: ['anthropic'] })
  const sources = (await pool.list('anthropic')).map(({ source }) => source)
  assert.deepEqual(sources, [
    'manual',
    'env:ANTHROPIC_TOKEN',
    'env:CLAUDE_CODE_OAUTH_TOKEN',
    'hermes_pkce',
    'claude_code',
    'env:ANTHROPIC_API_KEY',
  ])
  const { pool: notChosen } = openTestPool(environment)
  assert.ok(!(await notChosen.list('anthropic')).some(({ source }) => source === 'claude_code'))
})

test('a suppressed source stays away, and nothing else does', async () => {
  const auth = { suppressed_sources: { gemini: ['env:GOOGLE_API_KEY'] } }
  await using home = await temporaryHome({ 'auth.json': JSON.stringify(auth) })
  const keys = { GOOGLE_API_KEY: 'made-up-key-1', GEMINI_API_KEY: 'made-up-key-2' }
  const { pool } = openTestPool({ ...home.environment, ...keys })
  assert.deepEqual(
    (await pool.list('gemini')).map(({ source }) => source),
    ['env:GEMINI_API_KEY'],
  )
})

test('a report counts once, and a pool that cannot write goes on', async () => {
  await using home = await temporaryHome({ 'auth.json': authJson({ xai: ['made-up-key-a', 'made-up-key-b'] }) })
  const { pool } = openTestPool(home.environment)
  const lease = await pool.acquire('xai', signal)
  await lease.report('ok')
  await lease.report({ code: 'payment' })
  assert.equal((await pool.acquire('xai', signal)).id, lease.id)
  // The lock is a folder now, so that no write can begin.
  await mkdir(home.path('auth.json.lock'))
  const second = await pool.acquire('xai', signal)
  await second.report({ code: 'rate-limited' })
  assert.equal((await pool.acquire('xai', signal)).id, 'key-2', 'it knows of the rest without the file')
})

test("Copilot falls back to the token of GitHub's command line, asked once, where it was chosen", async () => {
  await using home = await temporaryHome({
    'bin/gh': '#!/bin/sh\necho asked >> "$HOME/asked"\necho "made-up-gh-token"\n',
  })
  await chmod(home.path('bin', 'gh'), 0o700)
  const environment = { ...home.environment, PATH: `${home.path('bin')}:${home.environment['PATH']}` }
  const send = async () => ({ status: 404, body: {} })
  const { pool } = openTestPool(environment, { chosen: ['copilot'], send })
  for (let use = 0; use < 3; use++) assert.equal((await pool.acquire('copilot', signal)).secret, 'made-up-gh-token')
  assert.equal(await readFile(home.path('asked'), 'utf8'), 'asked\n')
  const own = { ...environment, GITHUB_TOKEN: 'made-up-variable' }
  const { pool: withVariable } = openTestPool(own, { chosen: ['copilot'], send })
  assert.equal((await withVariable.acquire('copilot', signal)).secret, 'made-up-variable')
  assert.equal(await openTestPool(environment).pool.has('copilot'), false)
})

test('aborting ends acquire with its reason', async () => {
  await using home = await temporaryHome({ 'auth.json': authJson(three) })
  const { pool } = openTestPool(home.environment)
  await assert.rejects(pool.acquire('openrouter', AbortSignal.abort(new Error('enough'))), { message: 'enough' })
})

test('what a provider says is stored without the key that it quotes', async () => {
  await using home = await temporaryHome({ 'auth.json': authJson({ xai: ['made-up-key-a'] }) })
  const { pool } = openTestPool(home.environment)
  await (await pool.acquire('xai', signal)).report({ code: 'auth', message: 'Incorrect API key: made-up-key-a.' })
  const [status] = await pool.list('xai')
  assert.equal(status?.lastError, 'Incorrect API key: ***.')
})

test('providers of any name may stand in the file', async () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', '']
  const pools = Object.fromEntries(
    [...names, '__proto__'].map((name) => [name, ['sk-made-up-key-1', 'sk-made-up-key-2']]),
  )
  await using home = await temporaryHome({ 'auth.json': authJson(pools) })
  const { pool } = openTestPool(home.environment)
  for (const name of names) assert.equal((await pool.list(name)).length, 2, name)
})

test('a clock that is set back lets no key rest for longer, neither here nor in the next process', async () => {
  for (const isAnother of [false, true]) {
    await using home = await temporaryHome({ 'auth.json': authJson({ xai: ['made-up-key-a'] }) })
    const { pool, clock } = openTestPool(home.environment)
    await (await pool.acquire('xai', signal)).report({ code: 'rate-limited', message: '', retryAfterMs: 30_000 })
    await assert.rejects(pool.acquire('xai', signal))
    clock.advance(-7_200_000)
    const { pool: now } = isAnother ? openTestPool(home.environment, { clock }) : { pool }
    assert.equal((await now.acquire('xai', signal)).secret, 'made-up-key-a')
  }
})
