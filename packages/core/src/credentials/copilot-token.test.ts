import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import type { TemporaryHome } from '@hermes/testing'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { startCopilotTokenServer } from '@hermes/testing/copilot/token-server.ts'
import type { CopilotTokenServerOptions } from '@hermes/testing/copilot/token-server.ts'
import { manualClock } from './manual-clock.ts'
import { openTestPool, signal } from './test-pool.ts'

const minute = 60_000

async function setUp(options: CopilotTokenServerOptions = {}) {
  const clock = manualClock(Date.now())
  const server = await startCopilotTokenServer({
    apiUrl: 'https://api.individual.invalid',
    now: () => clock.now(),
    ...options,
  })
  const home: TemporaryHome = await temporaryHome()
  const environment = { ...home.environment, GH_TOKEN: 'gho_made_up', COPILOT_GH_HOST: server.url }
  const open = () => openTestPool(environment, { clock }).pool
  const dispose = async (): Promise<void> => {
    await server[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
  }
  return { clock, server, home, environment, open, [Symbol.asyncDispose]: dispose }
}

test('a GitHub token is exchanged once, and calls go with the new token to the address that came with it', async () => {
  await using all = await setUp()
  const pool = all.open()
  const leases = await Promise.all(Array.from({ length: 20 }, () => pool.acquire('copilot', signal)))
  assert.deepEqual(new Set(leases.map(({ secret }) => secret)), new Set(all.server.issued))
  assert.equal(leases[0]?.baseUrl, 'https://api.individual.invalid')
  assert.equal(all.server.requests[0]?.authorization, 'token gho_made_up')
  assert.equal((await all.open().acquire('copilot', signal)).secret, all.server.issued[0], 'the next process finds it')
  assert.equal(all.server.issued.length, 1)
  assert.equal((await stat(all.home.path('auth.json'))).mode & 0o777, 0o600)
  assert.ok(!(await readFile(all.home.path('auth.json'), 'utf8')).includes('gho_made_up'))
})

test('the token is renewed shortly before it ends', async () => {
  await using all = await setUp()
  const pool = all.open()
  await pool.acquire('copilot', signal)
  all.clock.advance(27 * minute)
  assert.equal((await pool.acquire('copilot', signal)).secret, all.server.issued[0])
  all.clock.advance(1.5 * minute)
  assert.equal((await pool.acquire('copilot', signal)).secret, all.server.issued[1])
})

test('while GitHub fails for a moment, the last token is used until it ends', async () => {
  await using all = await setUp()
  const pool = all.open()
  await pool.acquire('copilot', signal)
  all.clock.advance(29 * minute)
  all.server.failNext(503)
  assert.equal((await pool.acquire('copilot', signal)).secret, all.server.issued[0])
  all.clock.advance(2 * minute)
  all.server.failNext(503)
  await assert.rejects(pool.acquire('copilot', signal), { code: 'refresh' })
})

test('a token that is refused before its time is exchanged anew, once', async () => {
  await using all = await setUp()
  const pool = all.open()
  await (await pool.acquire('copilot', signal)).report({ code: 'auth', status: 401 })
  const second = await pool.acquire('copilot', signal)
  assert.equal(second.secret, all.server.issued[1])
  await second.report({ code: 'auth', status: 401 })
  await assert.rejects(pool.acquire('copilot', signal), { code: 'cooling' })
  assert.equal(all.server.issued.length, 2)
})

test('where the exchange does not know the token, the GitHub token itself is sent, and nobody asks again', async () => {
  await using all = await setUp()
  all.server.failNext(404)
  for (let use = 0; use < 3; use++) {
    const lease = await all.open().acquire('copilot', signal)
    assert.deepEqual([lease.secret, lease.baseUrl], ['gho_made_up', 'https://api.githubcopilot.com'])
  }
  assert.equal(all.server.requests.length, 1)
})

test('a token that GitHub does not take, and an account without Copilot, are told as what they are', async () => {
  await using all = await setUp({ githubTokens: [] })
  await assert.rejects(all.open().acquire('copilot', signal), { code: 'sign-in', message: /401: Bad credentials/ })
  all.server.failNext(403, { message: 'No access to Copilot.' })
  await assert.rejects(all.open().acquire('copilot', signal), { code: 'refused', message: /403: No access to Copilot/ })
})

test("a server of one's own gets the GitHub token", async () => {
  await using all = await setUp()
  const environment = { ...all.environment, COPILOT_API_BASE_URL: 'http://127.0.0.1:9' }
  const { pool } = openTestPool(environment)
  assert.equal((await pool.acquire('copilot', signal)).secret, 'gho_made_up')
  assert.equal(all.server.requests.length, 0)
})

test('three processes want a token at the same moment, and GitHub sees one exchange', async () => {
  await using all = await setUp({ latencyMs: 100, now: Date.now })
  const from = (path: string): string => JSON.stringify(import.meta.resolve(path))
  const code = `
    import { openCredentialPool } from ${from('./pool.ts')}
    import { openHome } from ${from('../config/home.ts')}
    const clock = { now: () => Date.now(), timeZone: 'UTC' }
    const pool = openCredentialPool({ home: openHome(process.env), environment: process.env, clock })
    process.stdout.write('ready\\n')
    await new Promise((resolve) => process.stdin.once('data', resolve))
    process.stdout.write((await pool.acquire('copilot', new AbortController().signal)).secret)
    process.stdin.destroy()`
  const children = Array.from({ length: 3 }, () =>
    spawn(process.execPath, ['--conditions=development', '--input-type=module', '--eval', code], {
      env: { ...all.environment, ...compileCache(), NODE_NO_WARNINGS: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  const outputs = children.map((child) => text(child.stdout))
  await Promise.all(children.map((child) => once(child.stdout, 'data')))
  for (const child of children) child.stdin.write('go\n')
  const secrets = (await Promise.all(outputs)).map((output) => output.split('\n').at(-1))
  assert.deepEqual(new Set(secrets), new Set(all.server.issued))
  assert.equal(all.server.issued.length, 1)
})
