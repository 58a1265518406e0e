import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryHome } from '@hermes/testing'
import { writeGguf } from '@hermes/testing/llama/gguf.ts'
import { openHome } from '../../config/home.ts'
import { configSchema } from '../../config/schema.ts'
import type { Config } from '../../config/schema.ts'
import { silentLogger } from '../../log/logger.ts'
import { createModels } from '../create-models.ts'

const never = new AbortController().signal

interface Given {
  readonly config?: Readonly<Record<string, unknown>>
  readonly variables?: Readonly<Record<string, string>>
}

/** What a reference comes to in a home that has the model file `small`. */
async function resolved({ config = {}, variables = {} }: Given, wanted?: string): Promise<string> {
  await using folder = await temporaryHome({ 'models/.keep': '' })
  await writeGguf(folder.path('models', 'small.gguf'))
  const environment = { ...folder.environment, ...variables }
  // The schema's own output, frozen by the loader; only the type says so here.
  const parsed = configSchema.parse(config) as unknown as Config
  const home = openHome(environment)
  const models = createModels({ config: parsed, environment, home, log: silentLogger, localServers: [] })
  const { provider, model, contextLength, baseUrl } = await models.resolve(wanted, never)
  await models.close?.()
  return [provider.name, model, contextLength, baseUrl].filter((part) => part !== undefined).join(' ')
}

const key = { OPENROUTER_API_KEY: 'made-up-key-123456' }
const file = { HERMES_LOCAL_MODEL: 'small' }

test('a model file is named like any model', async () => {
  assert.equal(await resolved({}, 'local/small'), 'local small 4096')
  assert.equal(await resolved({ variables: key }, 'local:small.gguf'), 'local small 4096')
  assert.equal(await resolved({ variables: key }, 'local'), 'local small 4096')
  assert.equal(await resolved({ config: { model: { provider: 'local', default: 'small' } } }), 'local small 4096')
  const short = { model: { provider: 'local', default: 'small', context_length: 2048 } }
  assert.equal(await resolved({ config: short }), 'local small 2048')
})

test('the file that the environment names is used when nothing else is configured', async () => {
  assert.equal(await resolved({ variables: file }), 'local small 4096')
  assert.match(await resolved({ variables: { ...file, ...key } }), /^openrouter /)
  await assert.rejects(resolved({ variables: file }, 'gpt-5'), { code: 'not-configured' })
})

test('an endpoint of one’s own that is called local stays what it is', async () => {
  const config = { custom_providers: [{ name: 'Local', base_url: 'http://10.0.0.5:8000/v1', model: 'lab' }] }
  assert.match(await resolved({ config, variables: file }), /^local lab .* http:\/\/10\.0\.0\.5:8000\/v1$/)
  assert.match(await resolved({ config }, 'local/small'), /^local small .* http:\/\/10\.0\.0\.5:8000\/v1$/)
})
