import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { type OAuthServer, startOAuthServer } from '@hermes/testing/oauth-server/server.ts'
import { TransportError } from '../../models/net/transport-error.ts'
import { CredentialError } from '../credential-error.ts'
import { manualClock } from '../manual-clock.ts'
import { signal } from '../test-pool.ts'
import type { SignInFace } from './flow.ts'
import { oauthProviders } from './providers.ts'
import { signIn, type SignedIn, type SignInOptions } from './sign-in.ts'

type Overrides = Partial<SignInOptions> & Pick<SignInOptions, 'face'>

function begin(provider: string, server: OAuthServer, overrides: Overrides, abort = signal): Promise<SignedIn> {
  const definition = oauthProviders[provider]
  assert.ok(definition)
  const base = { provider: definition, environment: {}, clock: manualClock(), server: server.url }
  return signIn({ ...base, ...overrides }, abort)
}

/** A sleep that takes no time, moves the clock and lets the test act before each poll. */
function steps(act: (poll: number) => void): {
  readonly clock: ReturnType<typeof manualClock>
  readonly sleep: NonNullable<SignInOptions['sleep']>
  readonly waitedSeconds: number[]
} {
  const clock = manualClock()
  const waitedSeconds: number[] = []
  const sleep = async (ms: number): Promise<void> => {
    waitedSeconds.push(ms / 1000)
    clock.advance(ms)
    act(waitedSeconds.length)
  }
  return { clock, sleep, waitedSeconds }
}

function face(onShow: (prompt: { url: string; code?: string }) => void = () => undefined): SignInFace {
  return { show: onShow }
}

/** Opens an address as a browser does, redirects followed; resolves to the page. */
async function browse(url: string): Promise<string> {
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    get(url, resolve).on('error', reject)
  })
  if (response.headers.location === undefined) return text(response)
  response.resume()
  return browse(response.headers.location)
}

for (const provider of ['nous', 'qwen-oauth', 'copilot', 'openai-codex']) {
  test(`${provider}: a code is shown, typed elsewhere, and becomes a grant`, async () => {
    await using server = await startOAuthServer({ email: 'ann@example.com', interval: 5 })
    let code = ''
    let url = ''
    const { clock, sleep, waitedSeconds } = steps((poll) => poll === 3 && server.answer(code, 'approved'))
    const show = face((prompt) => {
      code = prompt.code ?? ''
      url = prompt.url
    })
    const { grant, account } = await begin(provider, server, { face: show, clock, sleep })
    assert.ok(server.grants.isValid(grant.accessToken))
    assert.equal(account, 'ann@example.com')
    assert.equal(grant.expiresAtMs, clock.now() + 3_600_000)
    assert.equal(grant.server, server.url)
    assert.deepEqual(waitedSeconds, [5, 5, 5])
    assert.ok(url.startsWith(server.url), url)
  })
}

test('a server that wants slower polls gets them, and a broken connection is no reason to give up', async () => {
  await using server = await startOAuthServer({ interval: 2 })
  let code = ''
  server.failNext('token', { type: 'answer', status: 400, body: { error: 'slow_down' } })
  server.failNext('token', { type: 'lost' })
  server.failNext('token', { type: 'answer', status: 502, body: {} })
  const { clock, sleep, waitedSeconds } = steps((poll) => poll === 5 && server.answer(code, 'approved'))
  await begin('nous', server, { face: face((prompt) => (code = prompt.code ?? '')), clock, sleep })
  assert.deepEqual(waitedSeconds, [2, 7, 14, 14, 14])
})

const endings: readonly [answer: 'denied' | 'expired', provider: string, code: string][] = [
  ['denied', 'nous', 'denied'],
  ['expired', 'nous', 'timeout'],
  ['denied', 'openai-codex', 'denied'],
]
for (const [answer, provider, code] of endings) {
  test(`${provider}: a sign-in that is ${answer} ends as ${code}`, async () => {
    await using server = await startOAuthServer()
    let shown = ''
    const { clock, sleep } = steps(() => server.answer(shown, answer))
    await assert.rejects(
      begin(provider, server, { face: face((prompt) => (shown = prompt.code ?? '')), clock, sleep }),
      { name: 'CredentialError', code },
    )
  })
}

test('a code that nobody types ends with its time', async () => {
  await using server = await startOAuthServer({ deviceTtlSeconds: 20 })
  const { clock, sleep, waitedSeconds } = steps(() => undefined)
  await assert.rejects(begin('nous', server, { face: face(), clock, sleep }), { code: 'timeout' })
  assert.deepEqual(waitedSeconds, [5, 5, 5, 5])
  assert.equal(server.counts.devicePolls, 3)
})

test('a sign-in has a time limit, and aborting it gives the reason', async () => {
  await using server = await startOAuthServer()
  await assert.rejects(begin('nous', server, { face: face(), timeoutMs: 30 }), { code: 'timeout' })
  const abort = new AbortController()
  const waiting = begin('nous', server, { face: face(() => abort.abort(new Error('enough'))) }, abort.signal)
  await assert.rejects(waiting, { message: 'enough' })
})

test('client and scope can be others, and are kept with the grant where they matter', async () => {
  await using server = await startOAuthServer()
  let code = ''
  const { clock, sleep } = steps(() => server.answer(code, 'approved'))
  const options = { clientId: 'made-up-client', scope: 'made-up-scope-2', inferenceUrl: 'https://inference.example/v1' }
  const shown = face((prompt) => (code = prompt.code ?? ''))
  const { grant } = await begin('nous', server, { ...options, face: shown, clock, sleep })
  assert.equal(grant.clientId, 'made-up-client')
  assert.equal(grant.inferenceUrl, 'https://inference.example/v1')
  const [asked] = server.requests
  assert.deepEqual([asked?.fields['client_id'], asked?.fields['scope']], ['made-up-client', 'made-up-scope-2'])
})

test('the environment names another sign-in server, and a flag goes before it', async () => {
  await using server = await startOAuthServer()
  const { clock, sleep } = steps(() => undefined)
  const environment = { HERMES_PORTAL_BASE_URL: server.url, NOUS_PORTAL_BASE_URL: 'https://other.example' }
  const failing = begin('nous', server, { face: face(), clock, sleep, environment, server: undefined })
  await assert.rejects(failing, { code: 'timeout' })
  assert.equal(server.counts.deviceCodes, 1)
})

test('a browser on this machine brings the code back itself', async () => {
  await using server = await startOAuthServer()
  let page: Promise<string> | undefined
  const openBrowser = (url: string): void => void (page = browse(url))
  const { grant } = await begin('anthropic', server, { face: { ...face(), openBrowser } })
  assert.ok(server.grants.isValid(grant.accessToken))
  assert.match((await page) ?? '', /signed in/)
  assert.equal(server.requests[0]?.contentType, 'application/json')
  assert.match(server.requests[0]?.fields['redirect_uri'] ?? '', /^http:\/\/localhost:\d+\/callback$/)
})

const pasted: readonly [name: string, paste: (url: string, page: string) => string, code: string | undefined][] = [
  ['the code with its state', (_url, page) => page, undefined],
  ['the code alone', (_url, page) => ` ${page.split('#')[0]} `, undefined],
  [
    'the whole address',
    (url, page) => {
      const [code, state] = page.split('#')
      return `${new URL(url).searchParams.get('redirect_uri')}?code=${code}&state=${state}`
    },
    undefined,
  ],
  ['a code with the state of another sign-in', (_url, page) => `${page.split('#')[0]}#other`, 'state-mismatch'],
  ['an address without a state', (_url, page) => `https://x.example/?code=${page.split('#')[0]}`, 'state-mismatch'],
  ['another code', () => 'made-up-code', 'refused'],
  ['nothing', () => '', 'refused'],
  [
    'a refusal',
    (url) => `https://x.example/?error=access_denied&state=${new URL(url).searchParams.get('state')}`,
    'denied',
  ],
]
for (const [name, paste, code] of pasted) {
  test(`without a browser here, ${name} is pasted: ${code ?? 'signed in'}`, async () => {
    await using server = await startOAuthServer()
    let url = ''
    const person: SignInFace = {
      show: (prompt) => (url = prompt.url),
      readPasted: async () => paste(url, await browse(url)),
    }
    const signedIn = begin('anthropic', server, { face: person })
    if (code !== undefined) await assert.rejects(signedIn, { name: 'CredentialError', code })
    else assert.ok(server.grants.isValid((await signedIn).grant.accessToken))
  })
}

test('with a browser opened here, pasting from one elsewhere works too', async () => {
  await using server = await startOAuthServer()
  let url = ''
  const elsewhere: SignInFace = {
    show: (prompt) => (url = prompt.url),
    openBrowser: () => undefined,
    readPasted: async () => {
      const response = await new Promise<import('node:http').IncomingMessage>((resolve) => get(url, resolve))
      response.resume()
      return response.headers.location ?? ''
    },
  }
  const { grant } = await begin('anthropic', server, { face: elsewhere })
  assert.ok(server.grants.isValid(grant.accessToken))
})

test('a callback with the state of another sign-in ends this one; other paths are not answered', async () => {
  await using server = await startOAuthServer()
  let callback: URL | undefined
  const openBrowser = (url: string): void => {
    callback = new URL(new URL(url).searchParams.get('redirect_uri') ?? '')
    void browse(new URL('/favicon.ico', callback).href).then((page) => {
      assert.match(page, /Not found/)
      return browse(`${callback?.href}?code=made-up&state=other`)
    })
  }
  await assert.rejects(begin('anthropic', server, { face: { ...face(), openBrowser } }), { code: 'state-mismatch' })
  await assert.rejects(browse(callback?.href ?? ''), { code: 'ECONNREFUSED' }, 'the listener is gone')
})

test('where there is neither a browser nor a terminal, the error says so', async () => {
  await using server = await startOAuthServer()
  await assert.rejects(begin('anthropic', server, { face: face() }), { code: 'refused', message: /browser.*terminal/ })
})

async function certificate(
  t: TestContext,
): Promise<{ readonly key: string; readonly cert: string; readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-tls-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const [keyPath, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  execFileSync('openssl', [...request, '-keyout', keyPath, '-out', path, ...subject], { stdio: 'ignore' })
  return { key: await readFile(keyPath, 'utf8'), cert: await readFile(path, 'utf8'), path }
}

test('a certificate must be trusted: by a bundle that is named, or not at all when the person says so', async (t) => {
  const tls = await certificate(t)
  await using server = await startOAuthServer({ tls, email: 'ann@example.com' })
  const attempt = (overrides: Partial<SignInOptions>): Promise<SignedIn> => {
    let code = ''
    const { clock, sleep } = steps(() => server.answer(code, 'approved'))
    return begin('nous', server, { face: face((prompt) => (code = prompt.code ?? '')), clock, sleep, ...overrides })
  }
  await assert.rejects(attempt({}), (error) => error instanceof TransportError && error.failure === 'refused')
  const trusting = await attempt({ tls: { caBundle: tls.path } })
  assert.deepEqual(trusting.grant.tls, { caBundle: tls.path }, 'and the grant is renewed with it')
  assert.ok((await attempt({ tls: { insecure: true } })).grant)
  assert.ok((await attempt({ environment: { HERMES_CA_BUNDLE: tls.path } })).grant)
  const missing = attempt({ tls: { caBundle: '/nowhere/ca.pem' } })
  await assert.rejects(
    missing,
    (error) => error instanceof CredentialError && error.message.includes('/nowhere/ca.pem'),
  )
})
