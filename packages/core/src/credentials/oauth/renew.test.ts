import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { type TemporaryHome, temporaryHome } from '@hermes/testing'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { startOAuthServer } from '@hermes/testing/oauth-server/server.ts'
import type { OAuthServer, OAuthServerOptions } from '@hermes/testing/oauth-server/server.ts'
import { openHome } from '../../config/home.ts'
import { manualClock } from '../manual-clock.ts'
import { openTestPool, signal } from '../test-pool.ts'
import { oauthProviders } from './providers.ts'
import { createRenewer } from './renew.ts'
import { createSendOAuth } from './send.ts'

const hour = 3_600_000

interface Grants {
  readonly home: TemporaryHome
  readonly server: OAuthServer
  readonly environment: Readonly<Record<string, string>>
}

/** A home with one sign-in to Qwen whose token is over, and the server that it belongs to. */
async function withGrant(
  options: OAuthServerOptions & { readonly expiresAtMs?: number } = {},
): Promise<Grants & AsyncDisposable> {
  const server = await startOAuthServer(options)
  const { access_token: access, refresh_token: refresh } = server.issue()
  const expiresAtMs = options.expiresAtMs ?? Date.now() - hour
  const entry = {
    id: 'aaaaaa',
    label: 'ann',
    auth_type: 'oauth',
    priority: 0,
    source: 'manual:device_code',
    access_token: access,
    refresh_token: refresh,
    expires_at_ms: expiresAtMs,
    portal_base_url: server.url,
    of_a_later_version: 'kept',
  }
  const home = await temporaryHome({ 'auth.json': JSON.stringify({ credential_pool: { 'qwen-oauth': [entry] } }) })
  const dispose = async (): Promise<void> => {
    await server[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  }
  return { home, server, environment: home.environment, [Symbol.asyncDispose]: dispose }
}

async function storedEntry(home: TemporaryHome): Promise<Record<string, unknown>> {
  const document = JSON.parse(await readFile(home.path('auth.json'), 'utf8')) as {
    credential_pool: Record<string, Record<string, unknown>[]>
  }
  return document.credential_pool['qwen-oauth']?.[0] ?? {}
}

/** A process of its own that runs `body` with a pool at hand. */
function elsewhere(environment: Grants['environment'], body: string): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const from = (path: string): string => JSON.stringify(import.meta.resolve(path))
  const code = `
    import { openCredentialPool } from ${from('../pool.ts')}
    import { openHome } from ${from('../../config/home.ts')}
    const clock = { now: () => Date.now(), timeZone: 'UTC' }
    const signal = new AbortController().signal
    const onNotice = (message) => process.stdout.write('notice: ' + message + '\\n')
    const pool = openCredentialPool({ home: openHome(process.env), environment: process.env, clock, onNotice })
    ${body}`
  const child = spawn(process.execPath, ['--conditions=development', '--input-type=module', '--eval', code], {
    env: { ...environment, ...compileCache(), NODE_NO_WARNINGS: '1' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return child
}

/** Waits for its first words; fails when it ends without any. */
async function spoke(child: ChildProcess & { stdout: NodeJS.ReadableStream }): Promise<void> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the process ended without a word')))
  await Promise.race([once(child.stdout, 'data'), ended])
}

test('eight processes find one token over at the same moment, and the provider sees one renewal', async () => {
  await using grants = await withGrant({ latencyMs: 30 })
  const children = Array.from({ length: 8 }, () =>
    elsewhere(
      grants.environment,
      `process.stdout.write('ready\\n')
       await new Promise((resolve) => process.stdin.once('data', resolve))
       const lease = await pool.acquire('qwen-oauth', signal)
       process.stdout.write(lease.secret + '\\n')
       process.stdin.destroy()`,
    ),
  )
  const outputs = children.map((child) => text(child.stdout))
  await Promise.all(children.map(spoke))
  for (const child of children) child.stdin?.write('go\n')
  const secrets = (await Promise.all(outputs)).map((output) => output.trim().split('\n').at(-1))
  assert.equal(new Set(secrets).size, 1)
  assert.ok(grants.server.grants.isValid(secrets[0] ?? ''))
  assert.deepEqual([grants.server.counts.refreshes, grants.server.counts.reuses], [1, 0])
})

test('fifty requests of one process make one renewal, and the new token is in the file before it is used', async () => {
  await using grants = await withGrant()
  const { pool } = openTestPool(grants.environment, { clock: manualClock(Date.now()) })
  const leases = await Promise.all(Array.from({ length: 50 }, () => pool.acquire('qwen-oauth', signal)))
  assert.equal(new Set(leases.map(({ secret }) => secret)).size, 1)
  assert.equal(grants.server.counts.refreshes, 1)
  const entry = await storedEntry(grants.home)
  assert.equal(entry['access_token'], leases[0]?.secret)
  assert.equal(entry['of_a_later_version'], 'kept')
})

test('a process that is killed before the answer came loses its grant at most, and no token is sent twice', async () => {
  await using grants = await withGrant()
  const gate = grants.server.hold('token')
  const child = elsewhere(grants.environment, `await pool.acquire('qwen-oauth', signal)`)
  await gate.reached
  child.kill('SIGKILL')
  await once(child, 'exit')
  gate.open()
  const { pool, notices } = openTestPool(grants.environment, { clock: manualClock(Date.now()) })
  for (let attempt = 0; attempt < 3; attempt++) {
    await assert.rejects(pool.acquire('qwen-oauth', signal), { code: 'sign-in' })
  }
  assert.deepEqual([grants.server.counts.refreshes, grants.server.counts.reuses], [1, 0])
  assert.equal(notices.length, 1)
  assert.match(notices[0] ?? '', /hermes auth add qwen-oauth --type oauth/)
})

test('a process that is killed between the answer and the write loses its grant at most, and no token is sent twice', async () => {
  await using grants = await withGrant()
  const child = elsewhere(
    grants.environment,
    `import { createRenewer } from ${JSON.stringify(import.meta.resolve('./renew.ts'))}
     import { createSendOAuth } from ${JSON.stringify(import.meta.resolve('./send.ts'))}
     import { oauthProviders } from ${JSON.stringify(import.meta.resolve('./providers.ts'))}
     const environment = process.env
     const renewer = createRenewer({ home: openHome(environment), environment, clock, send: createSendOAuth(environment) })
     const [credential] = await pool.view('qwen-oauth')
     const store = { ...credential.store, write: () => {
       process.stdout.write('answered\\n')
       return new Promise(() => setInterval(() => {}, 1000))
     } }
     await renewer.fresh({ provider: oauthProviders['qwen-oauth'], store }, signal)`,
  )
  await spoke(child)
  child.kill('SIGKILL')
  await once(child, 'exit')
  const { pool } = openTestPool(grants.environment, { clock: manualClock(Date.now()) })
  await assert.rejects(pool.acquire('qwen-oauth', signal), { code: 'sign-in' })
  assert.deepEqual([grants.server.counts.refreshes, grants.server.counts.reuses], [1, 0])
})

test('a grant that ended is told of once over all processes, and a new sign-in is used at once', async () => {
  await using grants = await withGrant()
  grants.server.grants.revokeAll()
  const clock = manualClock(Date.now())
  const pools = [1, 2, 3].map(() => openTestPool(grants.environment, { clock }))
  const refused = pools.map(({ pool }) => assert.rejects(pool.acquire('qwen-oauth', signal), { code: 'sign-in' }))
  await Promise.all(refused)
  assert.equal(pools.flatMap(({ notices }) => notices).length, 1)
  assert.equal(grants.server.requests.length, 1, 'a grant that is over is not asked for again')
  assert.equal((await pools[0]!.pool.list('qwen-oauth'))[0]?.state.name, 'ended')
  const fresh = grants.server.issue()
  await pools[1]!.pool.file.update((draft) => {
    const [entry] = draft.credential_pool['qwen-oauth'] ?? []
    Object.assign(entry ?? {}, { ...fresh, expires_at_ms: clock.now() + hour })
  })
  assert.equal((await pools[2]!.pool.acquire('qwen-oauth', signal)).secret, fresh.access_token)
})

test('a copy of the grant in another home does not spend its token a second time', async () => {
  await using grants = await withGrant()
  const copy = await readFile(grants.home.path('auth.json'), 'utf8')
  const clock = manualClock(Date.now())
  await openTestPool(grants.environment, { clock }).pool.acquire('qwen-oauth', signal)
  await using other = await temporaryHome({ 'auth.json': copy })
  const environment = { ...other.environment, HOME: grants.home.dir }
  const { pool } = openTestPool(environment, { clock })
  await assert.rejects(pool.acquire('qwen-oauth', signal), { code: 'sign-in' })
  assert.equal(grants.server.counts.reuses, 0)
})

test('a token with two minutes left is renewed, one with more is not', async () => {
  const expiresAtMs = Date.now() + hour
  await using grants = await withGrant({ expiresAtMs })
  const clock = manualClock(expiresAtMs - 120_001)
  const { pool } = openTestPool(grants.environment, { clock })
  await pool.acquire('qwen-oauth', signal)
  assert.equal(grants.server.counts.refreshes, 0)
  clock.advance(1)
  await pool.acquire('qwen-oauth', signal)
  assert.equal(grants.server.counts.refreshes, 1)
})

test('while the provider cannot be reached, a token is used as long as it holds, and renewed when it can', async () => {
  const expiresAtMs = Date.now() + hour
  await using grants = await withGrant({ expiresAtMs })
  const old = await storedEntry(grants.home)
  const clock = manualClock(expiresAtMs - 60_000)
  const { pool } = openTestPool(grants.environment, { clock })
  grants.server.failNext('token', { type: 'answer', status: 503, body: {} })
  assert.equal((await pool.acquire('qwen-oauth', signal)).secret, old['access_token'])
  clock.advance(120_000)
  grants.server.failNext('token', { type: 'answer', status: 503, body: {} })
  await assert.rejects(pool.acquire('qwen-oauth', signal), { code: 'refresh' })
  assert.equal((await pool.list('qwen-oauth'))[0]?.state.name, 'expired')
  const lease = await pool.acquire('qwen-oauth', signal)
  assert.ok(grants.server.grants.isValid(lease.secret))
})

test('a token that is refused before its time is renewed once; when the new one is refused too, the key rests', async () => {
  await using grants = await withGrant({ expiresAtMs: Date.now() + hour })
  const { pool } = openTestPool(grants.environment, { clock: manualClock(Date.now()) })
  const leases = await Promise.all([pool.acquire('qwen-oauth', signal), pool.acquire('qwen-oauth', signal)])
  await Promise.all(leases.map((lease) => lease.report({ code: 'auth', status: 401 })))
  const [second] = await Promise.all([pool.acquire('qwen-oauth', signal), pool.acquire('qwen-oauth', signal)])
  assert.notEqual(second.secret, leases[0].secret)
  assert.equal(grants.server.counts.refreshes, 1)
  await second.report({ code: 'auth', status: 401 })
  await assert.rejects(pool.acquire('qwen-oauth', signal), { code: 'cooling' })
  assert.equal(grants.server.counts.refreshes, 1)
})

test('a provider that leaves its refresh token as it is can be asked again and again', async () => {
  await using grants = await withGrant({ rotate: false, accessTtlSeconds: 60 })
  const clock = manualClock(Date.now())
  const { pool } = openTestPool(grants.environment, { clock })
  for (let run = 0; run < 3; run++) await pool.acquire('qwen-oauth', signal)
  assert.equal(grants.server.counts.refreshes, 3)
})

test('aborting the wait does not lose what the provider sends', async () => {
  await using grants = await withGrant()
  const gate = grants.server.hold('token')
  const { pool } = openTestPool(grants.environment, { clock: manualClock(Date.now()) })
  const abort = new AbortController()
  const waiting = pool.acquire('qwen-oauth', abort.signal)
  await gate.reached
  abort.abort(new Error('enough'))
  await assert.rejects(waiting, { message: 'enough' })
  const next = pool.acquire('qwen-oauth', signal)
  gate.open()
  assert.ok(grants.server.grants.isValid((await next).secret))
  assert.deepEqual([grants.server.counts.refreshes, grants.server.counts.reuses], [1, 0])
})

test('when the file cannot be written, the new tokens are kept and written before they are used', async () => {
  await using grants = await withGrant()
  const clock = manualClock(Date.now())
  const { environment } = grants
  const { pool } = openTestPool(environment, { clock })
  const store = (await pool.view('qwen-oauth'))[0]?.store
  const provider = oauthProviders['qwen-oauth']
  assert.ok(store && provider)
  let isFull = true
  const full: typeof store = {
    ...store,
    write: async (grant) => {
      if (isFull) throw new Error('no room left')
      await store.write(grant)
    },
  }
  const renewer = createRenewer({ home: openHome(environment), environment, clock, send: createSendOAuth(environment) })
  await assert.rejects(renewer.fresh({ provider, store: full }, signal), { message: 'no room left' })
  await assert.rejects(renewer.fresh({ provider, store: full }, signal), { message: 'no room left' })
  isFull = false
  const grant = await renewer.fresh({ provider, store: full }, signal)
  assert.ok(grants.server.grants.isValid(grant.accessToken))
  assert.deepEqual([grants.server.counts.refreshes, grants.server.counts.reuses], [1, 0])
})

interface ForeignFile {
  readonly provider: string
  readonly path: string
  content(access: string, refresh: string, expiresAtMs: number): unknown
  read(content: never): readonly [access: unknown, refresh: unknown]
  readonly serverVariable: string
}

const foreign: readonly ForeignFile[] = [
  {
    provider: 'anthropic',
    path: '.claude/.credentials.json',
    serverVariable: 'HERMES_ANTHROPIC_AUTH_URL',
    content: (accessToken, refreshToken, expiresAt) => ({
      other: 1,
      claudeAiOauth: { accessToken, refreshToken, expiresAt, scopes: ['user:inference'], subscriptionType: 'max' },
    }),
    read: (content: { other: number; claudeAiOauth: Record<string, unknown> }) => {
      assert.deepEqual([content.other, content.claudeAiOauth['subscriptionType']], [1, 'max'])
      return [content.claudeAiOauth['accessToken'], content.claudeAiOauth['refreshToken']]
    },
  },
  {
    provider: 'qwen-oauth',
    path: '.qwen/oauth_creds.json',
    serverVariable: 'HERMES_QWEN_AUTH_URL',
    content: (access_token, refresh_token, expiry_date) => ({
      access_token,
      refresh_token,
      expiry_date,
      resource_url: 'portal.example',
    }),
    read: (content: Record<string, unknown>) => {
      assert.equal(content['resource_url'], 'portal.example')
      return [content['access_token'], content['refresh_token']]
    },
  },
  {
    provider: 'openai-codex',
    path: '.codex/auth.json',
    serverVariable: 'HERMES_CODEX_AUTH_URL',
    content: (access_token, refresh_token) => ({
      OPENAI_API_KEY: null,
      tokens: { access_token, refresh_token, account_id: 'made-up' },
    }),
    read: (content: { tokens: Record<string, unknown>; last_refresh: string }) => {
      assert.equal(content.tokens['account_id'], 'made-up')
      assert.ok(content.last_refresh)
      return [content.tokens['access_token'], content.tokens['refresh_token']]
    },
  },
]

for (const { provider, path, serverVariable, ...file } of foreign) {
  test(`~/${path} keeps its grant: it is renewed there, with all else in it`, async () => {
    await using server = await startOAuthServer({ email: 'ann@example.com', accessTtlSeconds: 600 })
    const issued = server.issue()
    const text = JSON.stringify(file.content(issued.access_token, issued.refresh_token, Date.now() + 600_000))
    await using home = await temporaryHome({ [path]: text })
    const environment = { ...home.environment, [serverVariable]: server.url }
    const clock = manualClock(Date.now())
    const { pool } = openTestPool(environment, { clock, chosen: [provider] })
    assert.equal((await pool.acquire(provider, signal)).secret, issued.access_token)
    clock.advance(590_000)
    const lease = await pool.acquire(provider, signal)
    const [access, refresh] = file.read(JSON.parse(await readFile(home.path(path), 'utf8')) as never)
    assert.equal(access, lease.secret)
    assert.notEqual(refresh, issued.refresh_token)
    assert.equal(server.counts.refreshes, 1)
    if (provider === 'qwen-oauth') assert.equal(lease.baseUrl, 'https://portal.example/v1')
    const { pool: notChosen } = openTestPool(environment, { clock })
    assert.equal(await notChosen.has(provider), false)
  })
}

test('a token that another program renewed meanwhile is taken from its file', async () => {
  await using server = await startOAuthServer()
  const issued = server.issue()
  const content = (tokens: { access_token: string; refresh_token: string }, expiresAt: number): string =>
    JSON.stringify({
      claudeAiOauth: { accessToken: tokens.access_token, refreshToken: tokens.refresh_token, expiresAt },
    })
  await using home = await temporaryHome({ '.claude/.credentials.json': content(issued, Date.now() - hour) })
  const environment = { ...home.environment, HERMES_ANTHROPIC_AUTH_URL: server.url }
  const { pool } = openTestPool(environment, { clock: manualClock(Date.now()), chosen: ['anthropic'] })
  const gate = server.hold('token')
  server.failNext('token', { type: 'answer', status: 400, body: { error: 'invalid_grant' } })
  const acquiring = pool.acquire('anthropic', signal)
  await gate.reached
  // Claude Code, which knows nothing of our lock, was quicker: its tokens are there when ours is refused.
  const theirs = server.issue()
  await writeFile(home.path('.claude', '.credentials.json'), content(theirs, Date.now() + hour))
  gate.open()
  assert.equal((await acquiring).secret, theirs.access_token)
})

/** A home that took its sign-in over from the Codex CLI, as upstream's do. */
async function sharedWithCodex(
  server: OAuthServer,
): Promise<{ home: TemporaryHome; file: (tokens: object) => string }> {
  const { access_token, refresh_token } = server.issue()
  const file = (tokens: object): string => JSON.stringify({ tokens })
  const tokens = { access_token, refresh_token }
  const home = await temporaryHome({
    'auth.json': JSON.stringify({ providers: { 'openai-codex': { tokens, auth_mode: 'chatgpt' } } }),
    '.codex/auth.json': file(tokens),
  })
  return { home, file }
}

test('a sign-in that was taken over from the Codex CLI is renewed in both places', async () => {
  await using server = await startOAuthServer({ email: 'ann@example.com', accessTtlSeconds: 600 })
  const { home } = await sharedWithCodex(server)
  await using _ = home
  const clock = manualClock(Date.now() + 590_000)
  const { pool } = openTestPool({ ...home.environment, HERMES_CODEX_AUTH_URL: server.url }, { clock })
  const { secret } = await pool.acquire('openai-codex', signal)
  const theirs = JSON.parse(await readFile(home.path('.codex', 'auth.json'), 'utf8')) as { tokens: object }
  const state = (await pool.file.read()).providers['openai-codex'] as { tokens: { access_token: string } }
  assert.equal(state.tokens.access_token, secret)
  assert.deepEqual(theirs.tokens, state.tokens)
})

test('what the Codex CLI has renewed is taken over, and the token that it spent is not sent', async () => {
  await using server = await startOAuthServer({ email: 'ann@example.com', accessTtlSeconds: 600 })
  const { home, file } = await sharedWithCodex(server)
  await using _ = home
  const clock = manualClock(Date.now() + 590_000)
  await using later = await startOAuthServer({ email: 'ann@example.com', accessTtlSeconds: 7200 })
  const { access_token, refresh_token } = later.issue()
  await writeFile(home.path('.codex', 'auth.json'), file({ access_token, refresh_token }))
  const { pool } = openTestPool({ ...home.environment, HERMES_CODEX_AUTH_URL: server.url }, { clock })
  for (let use = 0; use < 2; use++) assert.equal((await pool.acquire('openai-codex', signal)).secret, access_token)
  assert.equal(server.requests.length, 0)
})

test('Nous: the key for the model is made from the token, kept while it is long enough, and made anew when refused', async () => {
  await using server = await startOAuthServer({
    accessTtlSeconds: 7200,
    agentKeyTtlSeconds: 3600,
    inferenceUrl: 'https://inference.example/v1',
  })
  const issued = server.issue()
  const nous = { ...issued, expires_at: new Date(Date.now() + hour).toISOString(), portal_base_url: server.url }
  await using home = await temporaryHome({ 'auth.json': JSON.stringify({ providers: { nous } }) })
  const clock = manualClock(Date.now())
  const { pool } = openTestPool(home.environment, { clock })
  const first = await pool.acquire('nous', signal)
  assert.match(first.secret, /^made-up-agent-key-/)
  assert.equal(first.baseUrl, 'https://inference.example/v1')
  assert.equal((await pool.acquire('nous', signal)).secret, first.secret)
  assert.deepEqual([server.counts.agentKeys, server.counts.refreshes], [1, 0])
  const state = (await pool.file.read()).providers['nous']
  assert.equal(state?.['agent_key'], first.secret)
  await first.report({ code: 'auth' })
  const second = await pool.acquire('nous', signal)
  assert.notEqual(second.secret, first.secret)
  clock.advance(1_801_000)
  const third = await pool.acquire('nous', signal)
  assert.notEqual(third.secret, second.secret)
  assert.deepEqual([server.counts.agentKeys, server.counts.refreshes], [3, 0])
  server.grants.expire(issued.access_token)
  clock.advance(1_801_000)
  await pool.acquire('nous', signal)
  assert.deepEqual([server.counts.agentKeys, server.counts.refreshes], [4, 1], 'a token that is over is renewed first')
  assert.ok(server.requests.some(({ headers }) => headers['x-nous-refresh-token'] === issued.refresh_token))
})

test('no token is sent in the clear to another machine', async () => {
  await using grants = await withGrant()
  const { pool } = openTestPool(grants.environment, { clock: manualClock(Date.now()) })
  await pool.file.update((draft) => {
    Object.assign(draft.credential_pool['qwen-oauth']?.[0] ?? {}, { portal_base_url: 'http://portal.example' })
  })
  await assert.rejects(pool.acquire('qwen-oauth', signal), { message: /https:\/\/ address is needed/ })
})
