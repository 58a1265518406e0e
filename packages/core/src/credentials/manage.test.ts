import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type TemporaryHome, temporaryHome } from '@hermes/testing'
import type { Environment } from '../agent/context.ts'
import { loadEnvironment } from '../config/environment.ts'
import { openHome } from '../config/home.ts'
import { keepSignIn } from './keep-sign-in.ts'
import { addKey, logOut, type ManageOptions, removeCredential, resetCredentials } from './manage.ts'
import { manualClock } from './manual-clock.ts'
import { oauthProviders } from './oauth/providers.ts'
import type { CredentialPool, CredentialPoolOptions } from './pool.ts'
import { authJson, openTestPool, signal } from './test-pool.ts'

interface Managed {
  readonly pool: CredentialPool
  readonly options: ManageOptions
}

function managed(home: TemporaryHome, more: Environment = {}, pool: Partial<CredentialPoolOptions> = {}): Managed {
  const processEnvironment = { ...home.environment, ...more }
  const { environment } = loadEnvironment(openHome(processEnvironment), processEnvironment)
  const { clock: _clock, ...options } = pool
  return {
    pool: openTestPool(environment, options).pool,
    options: { home: openHome(environment), environment, processEnvironment },
  }
}

const sources = async (pool: CredentialPool, provider: string): Promise<string[]> =>
  (await pool.list(provider)).map(({ source }) => source)

const grant = { accessToken: 'made-up-access', refreshToken: 'made-up-refresh', expiresAtMs: Date.UTC(2027, 0) }

test('a key is added behind the others, with a number for its name, and used', async () => {
  await using home = await temporaryHome({ 'auth.json': authJson({ xai: ['made-up-key-a'] }) })
  const { pool } = managed(home)
  assert.equal(await addKey(pool, { provider: 'xai', secret: ' made-up-key-b\n' }), 'api-key-2')
  assert.equal(
    await addKey(pool, { provider: 'custom:box', secret: 'made-up', label: 'mine', baseUrl: 'http://box/v1' }),
    'mine',
  )
  assert.deepEqual(
    (await pool.list('xai')).map(({ label }) => label),
    ['key 1', 'api-key-2'],
  )
  const lease = await pool.acquire('custom:box', signal)
  assert.deepEqual([lease.secret, lease.baseUrl], ['made-up', 'http://box/v1'])
  assert.equal((await stat(home.path('auth.json'))).mode & 0o777, 0o600)
})

for (const [name, secret] of [
  ['nothing', ' '],
  ['too little', 'abc'],
  ['a placeholder', 'your_api_key'],
  ['two lines', 'made-up\nkey'],
  ['spaces', 'made up key'],
  ['letters that no header carries', 'mäde-up-key'],
  ['a key that is there already', 'made-up-key-a'],
] as const) {
  test(`${name} is not added as a key, and the error does not repeat it`, async () => {
    await using home = await temporaryHome({ 'auth.json': authJson({ xai: ['made-up-key-a'] }) })
    const { pool } = managed(home)
    const before = await readFile(home.path('auth.json'), 'utf8')
    await assert.rejects(addKey(pool, { provider: 'xai', secret }), (error: Error & { code: string }) => {
      assert.ok(secret.trim() === '' || !error.message.includes(secret), error.message)
      return error.code === 'bad-secret'
    })
    assert.equal(await readFile(home.path('auth.json'), 'utf8'), before)
  })
}

test('a credential is removed by number, id or label', async () => {
  for (const target of ['2', 'key-2', 'key 2']) {
    await using home = await temporaryHome({ 'auth.json': authJson({ xai: ['made-up-a', 'made-up-b', 'made-up-c'] }) })
    const { pool, options } = managed(home)
    assert.equal((await removeCredential(pool, 'xai', target, options)).label, 'key 2')
    assert.deepEqual(
      (await pool.list('xai')).map(({ id }) => id),
      ['key-1', 'key-3'],
    )
  }
})

test('what names no credential, or two, removes nothing', async () => {
  await using home = await temporaryHome({
    'auth.json': authJson({ xai: ['made-up-a', 'made-up-b'] }).replaceAll(/"label":"key \d"/g, '"label":"same"'),
  })
  const { pool, options } = managed(home)
  for (const target of ['3', 'other', 'same', '']) {
    await assert.rejects(removeCredential(pool, 'xai', target, options), { code: 'not-found' })
  }
  assert.equal((await pool.list('xai')).length, 2)
})

test('a key of .env is taken out of it, and can be put back', async () => {
  await using home = await temporaryHome({ '.env': '# mine\nXAI_API_KEY=made-up-key\nOTHER=1\n' })
  const { pool, options } = managed(home)
  const { notes } = await removeCredential(pool, 'xai', '1', options)
  assert.equal(await readFile(home.path('.env'), 'utf8'), '# mine\nOTHER=1\n')
  assert.equal(notes.length, 1)
  await writeFile(home.path('.env'), 'XAI_API_KEY=made-up-other\n')
  assert.equal((await managed(home).pool.acquire('xai', signal)).secret, 'made-up-other')
})

test('a key that is set outside of Hermes is left there and not used, until it is reset', async () => {
  await using home = await temporaryHome()
  const { pool, options } = managed(home, { XAI_API_KEY: 'made-up-key' })
  const { notes } = await removeCredential(pool, 'xai', 'XAI_API_KEY', options)
  assert.match(notes.join(), /XAI_API_KEY is set outside.*hermes auth reset xai/)
  assert.deepEqual(await sources(pool, 'xai'), [])
  assert.deepEqual(await resetCredentials(pool, 'xai'), { count: 1 })
  assert.deepEqual(await sources(pool, 'xai'), ['env:XAI_API_KEY'])
})

test('a key of config.yaml is not used any more', async () => {
  await using home = await temporaryHome()
  const endpoint = { pool: 'custom:box', source: 'config:Box', baseUrl: 'http://box/v1', key: 'made-up-key' }
  const { pool, options } = managed(home, {}, { endpoints: [endpoint] })
  assert.match((await removeCredential(pool, 'custom:box', '1', options)).notes.join(), /config\.yaml/)
  assert.deepEqual(await sources(pool, 'custom:box'), [])
})

test("another program's sign-in is not touched, and not used any more", async () => {
  const claude = JSON.stringify({ claudeAiOauth: { accessToken: 'made-up-claude', expiresAt: 4e12 } })
  await using home = await temporaryHome({ '.claude/.credentials.json': claude })
  const { pool, options } = managed(home, {}, { chosen: ['anthropic'] })
  await (await pool.acquire('anthropic', signal)).report({ code: 'payment' })
  await removeCredential(pool, 'anthropic', '1', options)
  assert.deepEqual(await sources(pool, 'anthropic'), [])
  assert.equal(await readFile(home.path('.claude', '.credentials.json'), 'utf8'), claude)
  assert.ok(!(await readFile(home.path('auth.json'), 'utf8')).includes('made-up-claude'))
})

test('resetting lets resting keys be used at once, and changes nothing else', async () => {
  await using home = await temporaryHome({ 'auth.json': authJson({ xai: ['made-up-a', 'made-up-b'] }) })
  const { pool } = managed(home)
  for (let use = 0; use < 2; use++) await (await pool.acquire('xai', signal)).report({ code: 'payment' })
  await assert.rejects(pool.acquire('xai', signal), { code: 'cooling' })
  assert.deepEqual(await resetCredentials(pool, 'xai'), { count: 2 })
  assert.equal((await pool.acquire('xai', signal)).id, 'key-1')
  assert.deepEqual(await resetCredentials(pool, 'xai'), { count: 0 })
})

for (const provider of Object.values(oauthProviders)) {
  test(`${provider.id}: a sign-in is kept, used, replaced by the next one and ended`, async () => {
    await using home = await temporaryHome({ 'auth.json': authJson({ [provider.id]: ['made-up-key-a'] }) })
    const { pool, options } = managed(home)
    const clock = manualClock()
    const keep = { ...options, clock, provider, as: 'login' as const }
    await keepSignIn(pool, { ...keep, signedIn: { grant, account: 'ann@example.com' } })
    assert.equal((await pool.file.read()).active_provider, provider.id)
    const again = { ...grant, accessToken: 'made-up-access-2', refreshToken: 'made-up-refresh-2' }
    if (provider.loginKeptIn !== 'pool')
      await keepSignIn(pool, { ...keep, signedIn: { grant: again, account: undefined } })
    const oauth = (await pool.view(provider.id)).filter(({ entry }) => entry.auth_type === 'oauth')
    const expected = provider.loginKeptIn === 'pool' ? 'made-up-access' : 'made-up-access-2'
    assert.deepEqual(
      oauth.map(({ entry }) => entry.access_token),
      [expected],
    )
    assert.equal(await logOut(pool, provider.id, options), true)
    assert.deepEqual(await sources(pool, provider.id), ['manual'], 'keys stay')
    assert.equal((await pool.file.read()).active_provider, null)
    await assert.rejects(stat(home.path('.anthropic_oauth.json')), { code: 'ENOENT' })
    assert.equal(await logOut(pool, provider.id, options), false)
    await keepSignIn(pool, { ...keep, signedIn: { grant, account: undefined } })
    assert.equal((await pool.list(provider.id)).length, 2, 'and one can sign in again')
  })

  test(`${provider.id}: several people can be signed in, each by name`, async () => {
    await using home = await temporaryHome()
    const { pool, options } = managed(home)
    const keep = { ...options, clock: manualClock(), provider, as: 'add' as const }
    const names = [
      await keepSignIn(pool, { ...keep, signedIn: { grant, account: 'ann@example.com' } }),
      await keepSignIn(pool, { ...keep, signedIn: { grant, account: undefined } }),
      await keepSignIn(pool, { ...keep, signedIn: { grant, account: 'bob@example.com' }, label: 'work' }),
    ]
    assert.deepEqual(names, ['ann@example.com', `${provider.id}-2`, 'work'])
    assert.deepEqual(
      (await pool.list(provider.id)).map(({ label }) => label),
      names,
    )
    assert.equal((await pool.file.read()).active_provider, undefined)
  })
}

test("upstream's fields are there for a sign-in to Nous, and for one to Codex", async () => {
  await using home = await temporaryHome()
  const { pool, options } = managed(home)
  const clock = manualClock()
  for (const id of ['nous', 'openai-codex']) {
    const provider = oauthProviders[id]
    assert.ok(provider)
    await keepSignIn(pool, { ...options, clock, provider, as: 'login', signedIn: { grant, account: undefined } })
  }
  const { providers } = await pool.file.read()
  const { access_token, refresh_token, expires_at, obtained_at } = providers['nous'] ?? {}
  assert.deepEqual(
    { access_token, refresh_token, expires_at, obtained_at },
    {
      access_token: 'made-up-access',
      refresh_token: 'made-up-refresh',
      expires_at: '2027-01-01T00:00:00.000Z',
      obtained_at: new Date(clock.now()).toISOString(),
    },
  )
  assert.deepEqual(providers['openai-codex'], {
    tokens: { access_token: 'made-up-access', refresh_token: 'made-up-refresh' },
    last_refresh: new Date(clock.now()).toISOString(),
    auth_mode: 'chatgpt',
  })
})
