import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '../config/schema.ts'
import type { Config } from '../config/schema.ts'
import { silentLogger } from '../log/logger.ts'
import type { AuxiliaryTask } from './auxiliary.ts'
import { createModels } from './create-models.ts'

const never = new AbortController().signal
const keys = { OPENROUTER_API_KEY: 'or-key', GOOGLE_API_KEY: 'g-key', DEEPSEEK_API_KEY: 'd-key' }

interface Given {
  readonly config?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
  readonly main?: string
  readonly task?: AuxiliaryTask
}

/** The side task's models as `provider model`, in the order in which they are tried. */
async function chain({ config = {}, environment = keys, main, task = 'compression' }: Given): Promise<string[]> {
  // The schema's own output, frozen by the loader; only the type says so here.
  const parsed = configSchema.parse(config) as unknown as Config
  const models = createModels({ config: parsed, environment, log: silentLogger, localServers: [] })
  const found = await models.auxiliary(task, await models.resolve(main, never), never)
  return found.map(({ provider, model }) => `${provider.name} ${model}`)
}

const set = (settings: Readonly<Record<string, unknown>>) => ({ auxiliary: { compression: settings } })
const cheap = 'openrouter google/gemini-3-flash-preview'
const usual = 'openrouter anthropic/claude-sonnet-4.6'
const google = 'gemini gemini-3-flash-preview'

const chains: readonly [what: string, given: Given, expected: readonly string[]][] = [
  ['a provider of many makers: its cheap model, its usual one, then the others', {}, [cheap, usual, google]],
  [
    'a provider of its own models: the turn’s model, then the others',
    { main: 'deepseek:chat' },
    ['deepseek chat', cheap, google],
  ],
  ['`main`: the turn’s model alone', { config: set({ provider: 'main' }) }, [usual]],
  ['`main` with another model of it', { config: set({ provider: 'main', model: 'x/y' }) }, ['openrouter x/y']],
  ['a model of the turn’s provider', { config: set({ model: 'x/y' }) }, ['openrouter x/y', google]],
  ['a named provider and model alone', { config: set({ provider: 'deepseek', model: 'small' }) }, ['deepseek small']],
  ['a named provider with its cheap model', { config: set({ provider: 'google' }) }, [google]],
  ['an address alone', { config: set({ base_url: 'http://10.0.0.1/v1', model: 'side' }) }, ['custom side']],
  [
    'an address with the turn’s model',
    { config: set({ base_url: 'http://10.0.0.1/v1' }) },
    ['custom anthropic/claude-sonnet-4.6'],
  ],
  [
    'a server on this machine: the turn’s model alone',
    { config: { model: { base_url: 'http://127.0.0.1:9/v1', default: 'own' } } },
    ['custom own'],
  ],
  [
    'pictures, where the turn’s model is on this machine: the others, too',
    { config: { model: { base_url: 'http://127.0.0.1:9/v1', default: 'own' } }, task: 'vision' },
    ['custom own', cheap, google],
  ],
  [
    'pictures: the model that looks at them',
    { main: 'xiaomi:mimo', task: 'vision', environment: { XIAOMI_API_KEY: 'k-key' } },
    ['xiaomi mimo-v2-omni', 'xiaomi mimo'],
  ],
  [
    'pictures: no model that is known not to see',
    { main: 'deepseek:deepseek-v4-pro', task: 'vision' },
    ['openrouter google/gemini-3-flash-preview', 'gemini gemini-3-flash-preview'],
  ],
  [
    'pictures: the one that is set, whatever is known of it',
    { main: 'deepseek:deepseek-v4-pro', task: 'vision', config: { auxiliary: { vision: { provider: 'main' } } } },
    ['deepseek deepseek-v4-pro'],
  ],
  ['nothing but instructions: none', { main: 'offline', environment: {} }, []],
  ['nothing but instructions, and a key', { main: 'offline', environment: { GOOGLE_API_KEY: 'g-key' } }, [google]],
]
for (const [what, given, expected] of chains) {
  test(`a side task is asked of ${what}`, async () => {
    assert.deepEqual(await chain(given), expected)
  })
}

test('a side model that cannot be used is said so, and nothing else is asked', async () => {
  await assert.rejects(chain({ config: set({ provider: 'mistral', model: 'm' }) }), {
    code: 'not-configured',
    message: /Mistral needs a key/,
  })
})
