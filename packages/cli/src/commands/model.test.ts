import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { accessKeyId, startAwsServer } from '@hermes/testing/aws/server.ts'
import { Screen } from '@hermes/testing/pty/screen.ts'
import type { Cli } from '../command.ts'
import { runForTest } from './auth/run-for-test.ts'
import { command } from './model.ts'

const anthropicKey = { ANTHROPIC_API_KEY: 'made-up-key-123456' }

/** Runs `hermes model …` in a home that has this configuration. */
async function hermesModel(
  argv: readonly string[],
  { config = '', keys = {} }: { config?: string; keys?: Readonly<Record<string, string>> } = {},
) {
  await using home = await temporaryHome({ 'config.yaml': config })
  const run = await runForTest(command, argv, { environment: { ...home.environment, ...keys } })
  return { ...run, config: await readFile(home.path('config.yaml'), 'utf8') }
}

test('without a key nothing can be used, and the models of a named provider are listed all the same', async () => {
  const nothing = await hermesModel(['list'])
  assert.equal(nothing.code, 0)
  assert.match(nothing.stdout, /^No provider can be used yet: /)
  const { stdout } = await hermesModel(['list', '--provider', 'claude', '--search', 'opus 4'])
  assert.match(stdout, /^Model +Context +Answer +Price a million +Can$/m)
  assert.match(stdout, /^anthropic\/claude-opus-4-8 +1M +128k +\$5 in, \$25 out +images, reasoning$/m)
  assert.match(stdout, /^anthropic: \d+ models, from the bundled table, \d{4}-\d\d-\d\d$/m)
  assert.ok(!stdout.includes('sonnet'))
})

test('with a key the models of its provider are listed, and JSON has every fact', async () => {
  const { stdout } = await hermesModel(['list', '--json', '--search', 'haiku-5'], { keys: anthropicKey })
  assert.deepEqual(JSON.parse(stdout), [
    {
      provider: 'anthropic',
      model: 'claude-haiku-5-5',
      context_length: 1_000_000,
      max_output_tokens: 128_000,
      tools: true,
      images: true,
      reasoning: true,
      prices: {
        input: 0.1,
        output: 0.5,
        cache_read: 0.01,
        cache_write: 0.125,
        tiers: [{ above_prompt_tokens: 100_000, input: 0.5, output: 2.5, cache_read: 0.05, cache_write: 0.625 }],
      },
    },
  ])
})

test('an unknown provider is told with those that are like it', async () => {
  const { code, stderr } = await hermesModel(['list', '--provider', 'openruter'])
  assert.equal(code, 1)
  assert.match(stderr, /Did you mean openrouter\?/)
})

test('show tells what a model costs, also the configured one and an alias', async () => {
  const config =
    'model: {provider: anthropic, default: claude-haiku-5-5}\nmodel_aliases: {best: {provider: anthropic, model: claude-opus-5-5}}\n'
  const shown = await hermesModel(['show'], { config, keys: anthropicKey })
  assert.match(
    shown.stdout,
    /^Model: anthropic\/claude-haiku-5-5 · context 1M tokens · images, reasoning · \$0\.1 in, /,
  )
  assert.match(shown.stdout, /^ {2}\$0\.01 read from cache, \$0\.125 written to cache$/m)
  assert.match(shown.stdout, /^ {2}prompts of more than 100,000 tokens: \$0\.5 in, \$2\.5 out$/m)
  const alias = await hermesModel(['show', 'best', '--json'], { config, keys: anthropicKey })
  assert.equal((JSON.parse(alias.stdout) as { model: string }).model, 'claude-opus-5-5')
})

test('set stores the model and drops what was said of the other one', async () => {
  const config =
    '# mine\nmodel:\n  provider: custom\n  default: own\n  base_url: http://127.0.0.1:9/v1\n  api_key: made-up\n  context_length: 9000\n'
  const { stdout, config: stored } = await hermesModel(['set', 'anthropic:claude-opus-5'], {
    config,
    keys: anthropicKey,
  })
  assert.match(stdout, /^Model: anthropic\/claude-opus-5 · /)
  assert.equal(stored, '# mine\nmodel:\n  provider: anthropic\n  default: claude-opus-5\n')
})

test('a slip is answered with the nearest names, unless one insists', async () => {
  const config = 'model: {provider: anthropic, default: claude-opus-5}\n'
  const slipped = await hermesModel(['set', 'claude-opsu-5-5'], { config, keys: anthropicKey })
  assert.equal(slipped.code, 1)
  assert.match(slipped.stderr, /anthropic lists no model claude-opsu-5-5\. Did you mean claude-opus-5-5/)
  assert.equal(slipped.config, config)
  const insisted = await hermesModel(['set', 'claude-opsu-5-5', '--anyway'], { config, keys: anthropicKey })
  assert.equal(insisted.code, 0)
  assert.match(insisted.config, /claude-opsu-5-5/)
})

/** OpenRouter with two models. */
async function openRouter(t: TestContext): Promise<Readonly<Record<string, string>>> {
  const pricing = { prompt: '0.000001', completion: '0.000002' }
  const data = ['maker/first', 'maker/second'].map((id) => ({ id, context_length: 64_000, pricing }))
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { OPENROUTER_API_KEY: 'made-up-key-123456', OPENROUTER_BASE_URL: `http://127.0.0.1:${port}/api/v1` }
}

test('a provider that tells its prices is asked, and its list goes before the table', async (t) => {
  const { stdout } = await hermesModel(['list'], { keys: await openRouter(t) })
  assert.match(stdout, /^openrouter\/maker\/first +64k +64k +\$1 in, \$2 out/m)
  assert.match(stdout, /^openrouter: 2 models, as the provider lists them, \d{4}-\d\d-\d\d$/m)
})

test('a server of one’s own that is configured is listed, also one that is not there, and a slip is told', async (t) => {
  const { OPENROUTER_BASE_URL: url = '' } = await openRouter(t)
  const { stdout } = await hermesModel(['list'], { config: `model:\n  default: mine\n  base_url: ${url}\n` })
  assert.match(stdout, /^custom\/mine [^]*^custom\/maker\/first [^]*^custom: 3 models, as the provider lists them$/m)
  const slip = await hermesModel(['set', 'custom:maker/frist'], { config: `model:\n  base_url: ${url}\n` })
  assert.equal(slip.code, 1)
  assert.match(slip.stderr, /^custom lists no model maker\/frist\. Did you mean maker\/first\?/)
  const gone = await hermesModel(['list'], { config: 'model:\n  default: mine\n  base_url: http://127.0.0.1:9/v1\n' })
  assert.match(gone.stdout, /^custom\/mine [^]*^custom: 1 model, as/m)
})

test('where what can be called depends on the account, it is asked for; the table tells the rest', async () => {
  await using server = await startAwsServer({
    secretAccessKey: 'secret',
    models: {
      models: [{ id: 'amazon.nova-pro-v1:0' }, { id: 'made.up-v1:0' }],
      profiles: ['eu.amazon.nova-2-lite-v1:0'],
    },
  })
  const aws = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL_BEDROCK: server.url }
  const list = (secret: string) =>
    hermesModel(['list', '--provider', 'bedrock'], { keys: { ...aws, AWS_SECRET_ACCESS_KEY: secret } })
  const { stdout } = await list('secret')
  assert.match(stdout, /^bedrock\/eu\.amazon\.nova-2-lite-v1:0 +1M /m)
  assert.match(stdout, /^bedrock\/amazon\.nova-pro-v1:0 +300k +10k +\$0\.8 in/m)
  assert.match(stdout, /^bedrock\/made\.up-v1:0/m)
  assert.match(stdout, /^bedrock: 3 models, as the provider lists them$/m)
  assert.match((await list('wrong')).stdout, /^bedrock: \d+ models, from the bundled table/m)
})

test('on a terminal one picks a provider, then a model, with a filter; going back leads to the providers', async (t) => {
  const keys = await openRouter(t)
  await using home = await temporaryHome({ 'config.yaml': '' })
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  Object.assign(stdin, { isTTY: true, setRawMode: () => {} })
  Object.assign(stdout, { isTTY: true, columns: 90, rows: 12 })
  const screen = new Screen({ columns: 90, rows: 12 })
  stdout.on('data', (data: Buffer) => void screen.write(data))
  const stop = new AbortController()
  t.after(() => stop.abort())
  const environment = { ...home.environment, ...anthropicKey, ...keys }
  const cli: Cli = { environment, cwd: home.dir, stdin, stdout, stderr, signal: stop.signal }
  const picking = command.run?.({ positionals: [], options: {} }, cli)
  await screen.waitFor('anthropic')
  stdin.write('anth')
  await screen.waitFor('Filter: anth')
  stdin.write('\r')
  await screen.waitFor('Models of anthropic')
  stdin.write('\u001b')
  await screen.waitFor('Providers (2)')
  stdin.write('\r')
  await screen.waitFor('Models of openrouter')
  stdin.write('sec')
  await screen.waitFor('> openrouter/maker/second')
  stdin.write('\r')
  assert.equal(await picking, 0)
  const stored = await readFile(home.path('config.yaml'), 'utf8')
  assert.match(stored, /default: maker\/second\n {2}provider: openrouter\n/)
})
