import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startScriptedModel, temporaryHome } from '@hermes/testing'
import { startScriptedAgent } from '@hermes/testing/scripted-agent.ts'
import * as fc from 'fast-check'
import { parse } from 'yaml'
import { configSchema } from '../../config/schema.ts'
import type { Config } from '../../config/schema.ts'
import { openHome } from '../../config/home.ts'
import { silentLogger } from '../../log/logger.ts'
import { createModels } from '../create-models.ts'
import { createLearnedWindows } from './learned-windows.ts'

const never = new AbortController().signal
const file = 'context_length_cache.yaml'

test("a file of upstream's is read, whatever way its YAML is written", async () => {
  const forms = [
    'context_lengths:\n  qwen3:8b@http://localhost:11434/v1: 40960\n  made/up@https://a.example/v1: 1000\n',
    "context_lengths:\n  'qwen3:8b@http://localhost:11434/v1': 40960\n",
    'context_lengths: {"qwen3:8b@http://localhost:11434/v1": 40960, x: no}\n',
    '# mine\ncontext_lengths:\n  ? qwen3:8b@http://localhost:11434/v1\n  : 40960\n',
  ]
  for (const form of forms) {
    await using home = await temporaryHome({ [file]: form })
    const windows = createLearnedWindows(openHome(home.environment))
    assert.equal(await windows.of('qwen3:8b', 'http://localhost:11434/v1'), 40_960, form)
    assert.equal(await windows.of('other', 'http://localhost:11434/v1'), undefined)
  }
  for (const broken of ['', 'context_lengths: [', 'context_lengths: 3\n', '- a\n']) {
    await using home = await temporaryHome({ [file]: broken })
    assert.equal(await createLearnedWindows(openHome(home.environment)).of('m', 'u'), undefined, broken)
  }
})

test('what is kept is read back, by us and by any reader of YAML', async () => {
  const names = fc.oneof(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.constantFrom('qwen3:8b', 'a/b', 'é', '- x', 'y: z #'),
  )
  const entries = fc.array(fc.tuple(names, fc.integer({ min: 1, max: 2_000_000 })), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(entries, async (given) => {
      await using home = await temporaryHome()
      const windows = createLearnedWindows(openHome(home.environment))
      for (const [name, tokens] of given) await windows.keep(name, 'http://h:1/v1', tokens)
      const expected = Object.fromEntries(given.map(([name, tokens]) => [`${name}@http://h:1/v1`, tokens]))
      const written = parse(await readFile(home.path(file), 'utf8')) as unknown
      assert.deepEqual(written, { context_lengths: expected })
      for (const [name, tokens] of Object.entries(expected)) {
        assert.equal(await windows.of(name.slice(0, -'@http://h:1/v1'.length), 'http://h:1/v1'), tokens)
      }
    }),
    { numRuns: 25 },
  )
})

test('a learned window counts where nobody says another, and what a local server tells is kept', async () => {
  await using server = await startScriptedModel([], { models: [{ id: 'local', context_length: 40_960 }] })
  await using home = await temporaryHome({ [file]: `context_lengths:\n  scripted@${server.url}: 12345\n` })
  const resolve = async (model: Readonly<Record<string, unknown>>) => {
    // The schema's own output, frozen by the loader; only the type says so here.
    const config = configSchema.parse({ model: { base_url: server.url, ...model } }) as unknown as Config
    const { environment } = home
    return createModels({ config, environment, home: openHome(environment), log: silentLogger }).resolve(
      undefined,
      never,
    )
  }
  assert.equal((await resolve({ default: 'scripted' })).contextLength, 12_345)
  assert.equal((await resolve({ default: 'scripted', context_length: 999_999 })).contextLength, 999_999)
  assert.equal((await resolve({ default: 'another' })).contextLength, 128_000)
  const { keepWindow } = await resolve({ default: 'another' })
  await keepWindow?.(54_321)
  assert.equal((await resolve({ default: 'another' })).contextLength, 54_321)
  assert.equal((await resolve({})).contextLength, 40_960, 'the server lists it')
  assert.equal((await resolve({ default: 'local' })).contextLength, 40_960, 'the server was not asked again')
})

test('a window that a provider names when it refuses is known to the next run', async () => {
  const message = "This model's maximum context length is 9000 tokens. However, your messages resulted in 9500 tokens."
  let refusals = 0
  await using agent = await startScriptedAgent({
    config: 'compression: {enabled: true}\n',
    script: () =>
      refusals++ === 0
        ? { fault: { type: 'http', status: 400, message, errorCode: 'context_length_exceeded' } }
        : { text: 'Done.' },
  })
  await agent.turn('one', 'hello')
  const kept = parse(await readFile(agent.home.path(file), 'utf8')) as unknown
  assert.deepEqual(kept, { context_lengths: { [`scripted-model@${agent.model.url}`]: 9000 } })
})

test('a local server is asked for the window of a model that is named, once, and no longer than a second', async () => {
  await using server = await startScriptedModel([], { models: [{ id: 'mine', context_length: 20_480 }] })
  await using home = await temporaryHome()
  const resolving = (url: string, model: Readonly<Record<string, unknown>> = {}) => {
    const config = configSchema.parse({ model: { base_url: url, default: 'mine', ...model } }) as unknown as Config
    const { environment } = home
    return createModels({ config, environment, home: openHome(environment), log: silentLogger })
  }
  assert.equal((await resolving(server.url, { context_length: 4096 }).resolve(undefined, never)).contextLength, 4096)
  const models = resolving(server.url)
  assert.equal((await models.resolve(undefined, never)).contextLength, 20_480)
  const kept = parse(await readFile(home.path(file), 'utf8')) as unknown
  assert.deepEqual(kept, { context_lengths: { [`mine@${server.url}`]: 20_480 } })

  let asked = 0
  const silent = createServer(() => void asked++).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const slow = resolving(`http://127.0.0.1:${port}/v1`)
  const from = performance.now()
  for (let turn = 0; turn < 2; turn++) assert.equal((await slow.resolve(undefined, never)).contextLength, 128_000)
  const waited = performance.now() - from
  silent.closeAllConnections()
  silent.close()
  assert.equal(asked, 1)
  assert.ok(waited < 20_000, `${waited} ms`)
})
