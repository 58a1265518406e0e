import assert from 'node:assert/strict'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { startProtectedMcpServer } from '@hermes/testing/mcp-server/protected.ts'
import { temporaryHome } from '@hermes/testing'
import { createContext } from '../../agent/create-context.ts'
import { Connection } from '../connection.ts'
import { readServerSettings } from '../settings.ts'

/** The person's browser, which goes where it is sent; the sign-in server agrees at once. */
const browser = { show: () => {}, openBrowser: (page: string) => void fetch(page) }

/** A profile in a home that several of them share, as processes do. */
async function profile(home: Awaited<ReturnType<typeof temporaryHome>>, url: string, more: object = {}) {
  const context = await createContext({ environment: home.environment, cwd: home.dir })
  const settings = readServerSettings('my.server', { url, auth: 'oauth', ...more })
  const open = (face?: typeof browser) =>
    new Connection({ server: 'my.server', settings, agent: context, cwd: home.dir, face })
  return { open, [Symbol.asyncDispose]: () => context[Symbol.asyncDispose]() }
}

const { signal } = new AbortController()

test('a person signs in once: PKCE, a registered client, and files that only they can read', async () => {
  await using server = await startProtectedMcpServer()
  await using home = await temporaryHome()
  await using one = await profile(home, server.url)
  {
    await using connection = one.open(browser)
    const { tools } = await connection.facts(signal)
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['whoami'],
    )
  }
  const read = async (file: string) =>
    JSON.parse(await readFile(home.path('mcp-tokens', file), 'utf8')) as Record<string, unknown>
  const tokens = await read('my_server.json')
  assert.equal(tokens['token_type'], 'Bearer')
  assert.ok(server.oauth.grants.isValid(String(tokens['access_token'])))
  assert.match(String((await read('my_server.client.json'))['client_id']), /^made-up-client-1$/)
  for (const file of ['my_server.json', 'my_server.client.json']) {
    assert.equal((await stat(home.path('mcp-tokens', file))).mode & 0o777, 0o600)
  }
  const [registered] = server.registered as { client_name: string; redirect_uris: string[] }[]
  assert.equal(registered?.client_name, 'Hermes Agent')
  assert.match(registered?.redirect_uris[0] ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  const exchange = server.oauth.requests.find(({ fields }) => fields['grant_type'] === 'authorization_code')
  assert.equal(exchange?.fields['resource'], server.url)
  assert.ok(exchange?.fields['code_verifier'])

  // Nobody is needed the next time.
  await using again = one.open()
  assert.equal((await again.facts(signal)).tools.length, 1)
  assert.equal(server.oauth.counts.authorizations, 1)
})

test('without a person the error says which command to run, and no client is registered', async () => {
  await using server = await startProtectedMcpServer()
  await using home = await temporaryHome()
  await using one = await profile(home, server.url)
  await using connection = one.open()
  await assert.rejects(connection.facts(signal), { code: 'sign-in-needed', message: /hermes mcp test my\.server/ })
  assert.equal(server.registered.length, 0)
})

test('tokens that another program has kept, without a time, are used and renewed', async () => {
  await using server = await startProtectedMcpServer()
  await using home = await temporaryHome()
  const { access_token, refresh_token } = server.oauth.issue()
  server.oauth.grants.expire(access_token)
  await mkdir(home.path('mcp-tokens'))
  await writeFile(
    home.path('mcp-tokens', 'my_server.json'),
    JSON.stringify({ access_token, refresh_token, scope: null }),
  )
  await writeFile(home.path('mcp-tokens', 'my_server.client.json'), JSON.stringify({ client_id: 'made-up-client' }))
  await using one = await profile(home, server.url)
  await using connection = one.open()
  assert.equal((await connection.facts(signal)).tools.length, 1)
  assert.equal(server.oauth.counts.refreshes, 1)
})

test('tokens that end are renewed once, however many use them', async () => {
  await using server = await startProtectedMcpServer({ accessTtlSeconds: 30 })
  await using home = await temporaryHome()
  const issued = server.oauth.issue()
  await mkdir(home.path('mcp-tokens'))
  await writeFile(home.path('mcp-tokens', 'my_server.json'), JSON.stringify({ ...issued, expires_at: 1 }))
  await writeFile(home.path('mcp-tokens', 'my_server.client.json'), JSON.stringify({ client_id: 'made-up-client' }))
  await using one = await profile(home, server.url)
  await using two = await profile(home, server.url)
  await using first = one.open()
  await using second = two.open()
  const both = await Promise.all([first.facts(signal), second.facts(signal)])
  assert.deepEqual(
    both.map(({ tools }) => tools.length),
    [1, 1],
  )
  assert.equal(server.oauth.counts.reuses, 0, 'a token that was used up is not used again')
})

test('a sign-in that nobody finishes ends after its time', async () => {
  await using server = await startProtectedMcpServer()
  await using home = await temporaryHome()
  await using one = await profile(home, server.url, { oauth: { timeout: 0.1 } })
  await using connection = one.open({ ...browser, openBrowser: () => undefined })
  await assert.rejects(connection.facts(signal), { code: 'timeout', message: /Nobody signed in/ })
})
