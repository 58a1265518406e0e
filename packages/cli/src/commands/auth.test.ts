import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { type TemporaryHome, temporaryHome } from '@hermes/testing'
import { compileCache } from '@hermes/testing/compile-cache.ts'
import { type OAuthServer, startOAuthServer } from '@hermes/testing/oauth-server/server.ts'
import { openPty, type Pty } from '@hermes/testing/pty/pty.ts'
import { runForTest, type TestRun, type TestRunOptions } from './auth/run-for-test.ts'
import { command as auth } from './auth.ts'
import { command as login } from './login.ts'
import { command as logout } from './logout.ts'

const commands = { auth, login, logout }
type Name = keyof typeof commands

/** Runs `hermes NAME …` in a home. */
function hermes(
  home: TemporaryHome,
  line: readonly [Name, ...string[]],
  { environment = {}, ...options }: Partial<TestRunOptions> = {},
): Promise<TestRun> {
  const [name, ...argv] = line
  return runForTest(commands[name], argv, { environment: { ...home.environment, ...environment }, ...options })
}

/** Says yes to the code that is on the screen. */
function approving(server: OAuthServer): Pick<TestRunOptions, 'onStderr'> {
  let isAnswered = false
  return {
    onStderr: (text) => {
      const code = /enter this code:\s+(\S+)\s/.exec(text)?.[1]
      if (code === undefined || isAnswered) return
      isAnswered = true
      server.answer(code, 'approved')
    },
  }
}

const exhausted = {
  last_status: 'exhausted',
  last_status_at: Date.now() / 1000,
  last_error_message: 'quota \u001B[31mis used up',
  last_error_reset_at: Date.now() / 1000 + 7200,
}

function entry(id: string, more: object = {}): object {
  const secret = `made-up-secret-${id}`
  return { id, label: `key ${id}`, auth_type: 'api_key', priority: 0, source: 'manual', access_token: secret, ...more }
}

const pools = {
  openrouter: [entry('aaaaaa', exhausted), entry('bbbbbb', { priority: 1, request_count: 7 })],
  'qwen-oauth': [
    entry('cccccc', { auth_type: 'oauth', refresh_token: 'made-up-secret-r', expires_at_ms: 1 }),
    entry('dddddd', { auth_type: 'oauth', expires_at_ms: 1, priority: 1 }),
  ],
}

function filled(): Promise<TemporaryHome> {
  return temporaryHome({ 'auth.json': JSON.stringify({ credential_pool: pools }) })
}

test('the list shows what there is and how it stands, and never a secret', async () => {
  await using home = await filled()
  const { stdout, code } = await hermes(home, ['auth', 'list'])
  assert.equal(code, 0)
  assert.match(stdout, /^openrouter \(fill_first\)$/m)
  assert.match(stdout, /1 {2}key aaaaaa {2}api_key {2}manual {2}resting for (2h|1h 59m): quota is used up$/m)
  assert.match(stdout, /2 {2}key bbbbbb {2}api_key {2}manual {2}ok {2}←$/m)
  assert.match(stdout, /key cccccc .* expired; renewed when it is used {2}←$/m)
  assert.match(stdout, /key dddddd .* over \(expired\); sign in again$/m)
  assert.ok(!stdout.includes('made-up-secret') && !stdout.includes('\u001B'))
  const json = await hermes(home, ['auth', 'list', 'openrouter', '--json'])
  assert.ok(!json.stdout.includes('made-up-secret'))
  const [pool, ...others] = JSON.parse(json.stdout) as { credentials: Record<string, unknown>[] }[]
  assert.deepEqual(others, [])
  const { state, requests, next } = pool?.credentials[1] ?? {}
  assert.deepEqual({ state, requests, next }, { state: 'ok', requests: 7, next: true })
  assert.equal(pool?.credentials[0]?.['state'], 'cooling')
})

test('an empty home is told how to begin, and nothing is made in it', async () => {
  await using home = await temporaryHome()
  const all = await hermes(home, ['auth', 'list'])
  assert.match(all.stdout, /hermes auth add/)
  const one = await hermes(home, ['auth', 'list', 'xai'])
  assert.match(one.stdout, /xai.*XAI_API_KEY/)
  assert.deepEqual([all.code, one.code], [0, 0])
  await assert.rejects(readFile(home.path('auth.json')), { code: 'ENOENT' })
})

test('an auth.json that is a folder is told in words', async () => {
  await using home = await temporaryHome()
  await mkdir(home.path('auth.json'))
  const { stderr, code } = await hermes(home, ['auth', 'list'])
  assert.match(stderr, /auth\.json is a folder and should be a file\. Move it away/)
  assert.equal(code, 1)
})

test('a key that several providers could use is listed once, where it belongs', async () => {
  await using home = await temporaryHome({
    '.env': 'OPENAI_API_KEY=made-up-secret-key\nVLLM_API_KEY=made-up-vllm-key\n',
  })
  const { stdout } = await hermes(home, ['auth', 'list'])
  assert.equal(stdout.match(/env:OPENAI_API_KEY/g)?.length, 1, stdout)
  assert.match(stdout, /^openai\n.*env:OPENAI_API_KEY/m)
  assert.match(stdout, /^vllm\n.*VLLM_API_KEY/m)
  const status = await hermes(home, ['auth', 'status'])
  assert.match(status.stdout, /^openai: .*\nvllm: [^\n]*\n$/)
  const own = await hermes(home, ['auth', 'list', 'lmstudio'])
  assert.match(own.stdout, /env:OPENAI_API_KEY/)
  await writeFile(home.path('config.yaml'), 'model: {provider: lmstudio}\n')
  const chosen = await hermes(home, ['auth', 'list'])
  assert.match(chosen.stdout, /^lmstudio\n.*env:OPENAI_API_KEY/m)
  assert.doesNotMatch(chosen.stdout, /^openai$/m)
})

const statuses: readonly [provider: string | undefined, code: number, shown: RegExp][] = [
  [undefined, 0, /openrouter: ok \(2 credentials\)\nqwen-oauth: expired; renewed when it is used/],
  ['openrouter', 0, /openrouter: ok/],
  ['qwen-cli', 0, /qwen-oauth: expired/],
  ['anthropic', 1, /anthropic: no credential/],
]
for (const [provider, code, shown] of statuses) {
  test(`the status of ${provider ?? 'everything'} exits with ${code}`, async () => {
    await using home = await filled()
    const args = provider === undefined ? [] : [provider]
    const plain = await hermes(home, ['auth', 'status', ...args])
    assert.equal(plain.code, code)
    assert.match(plain.stdout, shown)
    const json = await hermes(home, ['auth', 'status', ...args, '--json'])
    assert.equal(json.code, code)
    const parsed = JSON.parse(json.stdout) as { usable: boolean }
    assert.equal(parsed.usable, code === 0)
    assert.ok(!json.stdout.includes('made-up-secret'))
  })
}

test('a status is never ok for a token that is over, or a key that rests', async () => {
  const only = { 'qwen-oauth': [pools['qwen-oauth'][1]], openrouter: [pools.openrouter[0]] }
  await using home = await temporaryHome({ 'auth.json': JSON.stringify({ credential_pool: only }) })
  const { stdout, code } = await hermes(home, ['auth', 'status'])
  assert.equal(code, 1)
  assert.ok(!/: ok/.test(stdout), stdout)
})

test('a key is added from a flag, or from a pipe, under a name or a number', async () => {
  await using home = await temporaryHome()
  const flagged = await hermes(home, ['auth', 'add', 'XAI', '--api-key', 'made-up-key-1', '--label', 'mine'])
  assert.deepEqual([flagged.code, flagged.stdout], [0, 'Added mine to xai.\n'])
  const piped = await hermes(home, ['auth', 'add', 'xai', '--type', 'api_key'], { input: 'made-up-key-2\n' })
  assert.deepEqual([piped.code, piped.stdout], [0, 'Added api-key-2 to xai.\n'])
  const custom = ['--api-key', 'made-up-key-3', '--inference-url', 'http://box:1/v1/'] as const
  assert.equal((await hermes(home, ['auth', 'add', 'custom:My Box', ...custom])).code, 0)
  const { credential_pool: stored } = JSON.parse(await readFile(home.path('auth.json'), 'utf8')) as {
    credential_pool: Record<string, { access_token: string; base_url?: string }[]>
  }
  assert.deepEqual(
    stored['xai']?.map((one) => one.access_token),
    ['made-up-key-1', 'made-up-key-2'],
  )
  assert.equal(stored['custom:my-box']?.[0]?.base_url, 'http://box:1/v1')
})

const mistakes: readonly [line: readonly [Name, ...string[]], code: number, message: RegExp][] = [
  [['auth', 'add'], 2, /give one provider/],
  [['auth', 'add', 'antropic'], 2, /no provider "antropic".*anthropic/],
  [['auth', 'add', 'xai', '--type', 'oauth'], 2, /xai has no sign-in/],
  [['auth', 'add', 'xai', '--type', 'token'], 2, /--type takes one of/],
  [['auth', 'add', 'xai'], 2, /No key was given/],
  [['auth', 'add', 'xai', '--api-key', 'your_api_key'], 1, /That is no key/],
  [['auth', 'add', 'nous', '--timeout', 'soon'], 2, /--timeout takes seconds/],
  [['auth', 'add', 'nous', '--portal-url', 'portal'], 2, /--portal-url takes an address/],
  [['auth', 'add', 'nous', '--portal-url', 'http://portal.example'], 1, /https:\/\/ address is needed/],
  [['auth', 'remove', 'xai'], 2, /give a provider and which credential/],
  [['auth', 'remove', 'openrouter', '9'], 1, /no credential "9".*1 key aaaaaa/],
  [['auth', 'reset'], 2, /give one provider/],
  [['login'], 2, /give a provider: nous/],
  [['login', 'xai'], 2, /xai has no sign-in.*hermes auth add xai/],
  [['login', 'nous', '--provider', 'nous'], 2, /give one provider/],
  [['login', 'anthropic'], 1, /browser on this machine or a terminal/],
  [['logout', 'nobody'], 2, /no provider "nobody"/],
]
for (const [line, code, message] of mistakes) {
  test(`hermes ${line.join(' ')} is refused with ${code}`, async () => {
    await using home = await filled()
    const before = await readFile(home.path('auth.json'), 'utf8')
    const result = await hermes(home, line)
    assert.match(result.stderr, message)
    assert.equal(result.code, code)
    assert.equal(await readFile(home.path('auth.json'), 'utf8'), before)
  })
}

test('removing and resetting say what they did', async () => {
  await using home = await filled()
  await writeFile(home.path('.env'), 'OPENROUTER_API_KEY=made-up-env\n')
  const env = await hermes(home, ['auth', 'remove', 'openrouter', 'OPENROUTER_API_KEY'])
  assert.equal(
    env.stdout,
    `Removed OPENROUTER_API_KEY of openrouter.\nOPENROUTER_API_KEY was taken out of ${home.path('.env')}.\n`,
  )
  assert.equal(
    (await hermes(home, ['auth', 'remove', 'openrouter', '2'])).stdout,
    'Removed key bbbbbb of openrouter.\n',
  )
  assert.equal((await hermes(home, ['auth', 'status', 'openrouter'])).code, 1)
  assert.equal((await hermes(home, ['auth', 'reset', 'openrouter'])).stdout, 'Reset openrouter: 1 changed.\n')
  assert.equal((await hermes(home, ['auth', 'reset', 'openrouter'])).stdout, 'openrouter had nothing to reset.\n')
  assert.equal((await hermes(home, ['auth', 'status', 'openrouter'])).code, 0)
})

test('login signs in with every flag, status knows it, and logout ends it with the choice of its models', async () => {
  await using server = await startOAuthServer({ interval: 0, email: 'ann@example.com' })
  await using home = await temporaryHome({ 'config.yaml': 'model:\n  provider: nous # mine\n  default: hermes-4\n' })
  const flags = ['--portal-url', `${server.url}/`, '--client-id', 'made-up-client', '--scope', 'made-up-scope-2']
  const more = [
    '--inference-url',
    'https://inference.example/v1',
    '--no-browser',
    '--timeout',
    '20',
    '--insecure',
    '--ca-bundle',
    '/ca.pem',
  ]
  const run = await hermes(home, ['login', '--provider', 'nous', ...flags, ...more], approving(server))
  assert.deepEqual([run.code, run.stdout], [0, 'Signed in to Nous Portal as ann@example.com.\n'])
  assert.match(run.stderr, /open this page in a browser/)
  const [asked] = server.requests
  assert.deepEqual([asked?.fields['client_id'], asked?.fields['scope']], ['made-up-client', 'made-up-scope-2'])
  const { providers, active_provider: active } = JSON.parse(await readFile(home.path('auth.json'), 'utf8')) as {
    providers: { nous: Record<string, unknown> }
    active_provider: string
  }
  assert.equal(active, 'nous')
  const { portal_base_url, client_id, inference_base_url, tls } = providers.nous
  assert.deepEqual(
    { portal_base_url, client_id, inference_base_url, tls },
    {
      portal_base_url: server.url,
      client_id: 'made-up-client',
      inference_base_url: 'https://inference.example/v1',
      tls: { insecure: true, ca_bundle: '/ca.pem' },
    },
  )
  assert.match((await hermes(home, ['auth', 'status', 'nous'])).stdout, /^nous: ok, signed in last$/m)
  const out = await hermes(home, ['logout'])
  assert.deepEqual([out.code, out.stdout.split('\n')[0]], [0, 'Signed out of nous.'])
  const config = await readFile(home.path('config.yaml'), 'utf8')
  assert.match(config, /provider: auto # mine\n {2}default: hermes-4/)
  assert.equal((await hermes(home, ['auth', 'status', 'nous'])).code, 1)
  assert.match((await hermes(home, ['logout'])).stdout, /not signed in/)
})

test('auth add signs in beside what is there, by code and by pasting', async () => {
  await using server = await startOAuthServer({ interval: 0 })
  await using home = await temporaryHome()
  const portal = ['--portal-url', server.url] as const
  const codex = await hermes(home, ['auth', 'add', 'codex', ...portal, '--label', 'work'], approving(server))
  assert.deepEqual([codex.code, codex.stdout], [0, 'Signed in to OpenAI Codex as work.\n'])
  const bad = await hermes(home, ['auth', 'add', 'anthropic', ...portal, '--no-browser'], { input: 'made-up#other\n' })
  assert.equal(bad.code, 1)
  assert.match(bad.stderr, /does not belong to this sign-in/)
  const environment = { BROWSER: '/nowhere/browser' }
  const nobody = await hermes(home, ['auth', 'add', 'claude', ...portal, '--timeout', '0.2'], { environment })
  assert.equal(nobody.code, 1)
  assert.match(nobody.stderr, /Nobody signed in to Anthropic within/)
  const list = await hermes(home, ['auth', 'list'])
  assert.match(list.stdout, /^openai-codex\n {2}1 {2}work {2}oauth {2}manual:device_code {2}ok {2}←\n$/)
})

test("the person's own browser is opened, and brings the code back", async () => {
  await using server = await startOAuthServer()
  const browse = `
    const { get } = require('node:http')
    const open = (url) => get(url, ({ headers }) => headers.location && open(headers.location))
    open(process.argv[2])`
  await using home = await temporaryHome({ browser: `#!${process.execPath}\n${browse}\n` })
  await chmod(home.path('browser'), 0o700)
  const environment = { BROWSER: home.path('browser') }
  const run = await hermes(home, ['login', 'anthropic', '--portal-url', server.url], { environment })
  assert.deepEqual([run.code, run.stdout], [0, 'Signed in to Anthropic.\n'])
  assert.match((await hermes(home, ['auth', 'list', 'anthropic'])).stdout, /oauth {2}hermes_pkce {2}ok {2}←/)
})

/** A terminal with `hermes auth …` in it. */
function terminal(home: TemporaryHome, argv: readonly string[]): Pty {
  const code = `
    import { runAtTerminal } from ${JSON.stringify(import.meta.resolve('./auth/run-for-test.ts'))}
    import { command } from ${JSON.stringify(import.meta.resolve('./auth.ts'))}
    process.exitCode = await runAtTerminal(command, ${JSON.stringify(argv)})`
  const args = ['--conditions=development', '--input-type=module', '--eval', code]
  return openPty(process.execPath, args, {
    env: { ...home.environment, ...compileCache(), NODE_NO_WARNINGS: '1' },
    cwd: home.dir,
  })
}

test('at a terminal, the key is typed without being shown', async () => {
  await using home = await temporaryHome()
  await using pty = terminal(home, ['add', 'xai'])
  await pty.screen.waitFor('not shown')
  pty.write('made-up-kex\u007Fy-1\r')
  assert.deepEqual(await pty.exited(), { code: 0, signal: undefined })
  assert.ok(!pty.output().includes('made-up'), pty.output())
  assert.match(pty.output(), /Added api-key-1 to xai/)
  assert.match(await readFile(home.path('auth.json'), 'utf8'), /"made-up-key-1"/)
})

test('at a terminal, Ctrl-C ends the typing with 130 and leaves nothing', async () => {
  await using home = await temporaryHome()
  await using pty = terminal(home, ['add', 'xai'])
  await pty.screen.waitFor('not shown')
  pty.write('made-up-key\u0003')
  assert.equal((await pty.exited()).code, 130)
  await assert.rejects(readFile(home.path('auth.json')), { code: 'ENOENT' })
})

test('at a terminal, hermes auth is a list with things to do', async () => {
  await using home = await filled()
  await using pty = terminal(home, [])
  await pty.screen.waitFor(/\[q\]uit:$/)
  pty.write('x\r')
  await pty.screen.waitFor('Please answer')
  await pty.screen.waitFor(/\[q\]uit:$/)
  pty.write('r\r')
  await pty.screen.waitFor('Provider:')
  pty.write('openrouter\r')
  await pty.screen.waitFor('Which of openrouter')
  pty.write('key bbbbbb\r')
  await pty.screen.waitFor('Removed key bbbbbb')
  await pty.screen.waitFor(/\[q\]uit:$/)
  pty.write('q\r')
  assert.equal((await pty.exited()).code, 0)
  assert.ok(!(await readFile(home.path('auth.json'), 'utf8')).includes('bbbbbb'))
})
