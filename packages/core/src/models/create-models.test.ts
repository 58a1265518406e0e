import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { collectAnswer, startScriptedModel } from '@hermes/testing'
import { configSchema } from '../config/schema.ts'
import type { Config } from '../config/schema.ts'
import { silentLogger } from '../log/logger.ts'
import { createModels } from './create-models.ts'
import { certainReference, modelReference } from './model-reference.ts'
import type { ModelsOptions } from './create-models.ts'
import type { ModelErrorCode } from './model-error.ts'
import { familyOutputLimit } from './model-limits.ts'
import type { Models, ResolvedModel } from './model.ts'

const never = new AbortController().signal

interface Given {
  readonly config?: Readonly<Record<string, unknown>>
  readonly environment?: Readonly<Record<string, string>>
  readonly localServers?: ModelsOptions['localServers']
}

function modelsFor({ config = {}, environment = {}, localServers = [] }: Given = {}): Models {
  // The schema's own output, frozen by the loader; only the type says so here.
  const parsed = configSchema.parse(config) as unknown as Config
  return createModels({ config: parsed, environment, log: silentLogger, localServers })
}

function resolve(given: Given, wanted?: string): Promise<ResolvedModel> {
  return modelsFor(given).resolve(wanted, never)
}

async function resolved(given: Given, wanted?: string): Promise<string> {
  const { provider, model, baseUrl } = await resolve(given, wanted)
  return `${provider.name} ${model}${baseUrl === undefined ? '' : ` ${baseUrl}`}`
}

function fails(code: ModelErrorCode, message: RegExp) {
  return { name: 'ModelError', code, message }
}

const openRouterUrl = 'https://openrouter.ai/api/v1'
const openRouterKey = { OPENROUTER_API_KEY: 'or-key' }
const openAiKey = { OPENAI_API_KEY: 'oa-key' }
const own = {
  providers: {
    Work: { name: 'Work box', base_url: 'https://models.work.example/v1/', key_env: 'WORK_KEY', default_model: 'big' },
  },
  custom_providers: [{ name: 'My Lab', base_url: 'http://10.0.0.5:8000/v1', model: 'lab-model' }],
}

const cases: readonly [string, Given, string | undefined, string][] = [
  [
    'a key of OpenRouter is enough',
    { environment: openRouterKey },
    undefined,
    `openrouter anthropic/claude-sonnet-4.6 ${openRouterUrl}`,
  ],
  [
    'OpenRouter comes before OpenAI',
    { environment: { ...openAiKey, ...openRouterKey } },
    'x/y',
    `openrouter x/y ${openRouterUrl}`,
  ],
  ['a key of OpenAI is enough', { environment: openAiKey }, undefined, 'openai gpt-5 https://api.openai.com/v1'],
  [
    'OPENAI_BASE_URL makes any server of it',
    { environment: { ...openAiKey, OPENAI_BASE_URL: 'https://proxy.example/v1' } },
    'm',
    'custom m https://proxy.example/v1',
  ],
  [
    'OPENAI_BASE_URL needs no key',
    { environment: { OPENAI_BASE_URL: 'http://10.0.0.9/v1' } },
    'm',
    'custom m http://10.0.0.9/v1',
  ],
  [
    'other keys are found too',
    { environment: { DEEPSEEK_API_KEY: 'k' } },
    'deepseek-chat',
    'deepseek deepseek-chat https://api.deepseek.com/v1',
  ],
  [
    'a configured address comes before every key',
    { config: { model: { base_url: 'http://127.0.0.1:9999/v1/', default: 'm' } }, environment: openRouterKey },
    undefined,
    'custom m http://127.0.0.1:9999/v1',
  ],
  [
    'a known address is its provider',
    { config: { model: { base_url: openRouterUrl, default: 'z-ai/glm-5' } }, environment: openRouterKey },
    undefined,
    `openrouter z-ai/glm-5 ${openRouterUrl}`,
  ],
  [
    'a usual port on this machine is its server',
    { config: { model: { base_url: 'http://localhost:11434/v1', default: 'qwen3:8b' } } },
    undefined,
    'ollama qwen3:8b http://localhost:11434/v1',
  ],
  [
    'the configured provider and model are used',
    {
      config: { model: { default: 'z-ai/glm-5', provider: 'openrouter' } },
      environment: { ...openAiKey, ...openRouterKey },
    },
    undefined,
    `openrouter z-ai/glm-5 ${openRouterUrl}`,
  ],
  [
    '`model` may be a bare name',
    { config: { model: 'z-ai/glm-5' }, environment: openRouterKey },
    undefined,
    `openrouter z-ai/glm-5 ${openRouterUrl}`,
  ],
  [
    'HERMES_INFERENCE_PROVIDER comes after the configuration',
    {
      config: { model: { default: 'm', provider: 'openai' } },
      environment: { ...openAiKey, HERMES_INFERENCE_PROVIDER: 'ollama' },
    },
    undefined,
    'openai m https://api.openai.com/v1',
  ],
  [
    'aliases are providers',
    { config: { model: { provider: 'LM-Studio', default: 'm' } } },
    undefined,
    'lmstudio m http://127.0.0.1:1234/v1',
  ],
  [
    'an alias in a reference',
    { environment: { GLM_API_KEY: 'k' } },
    'zhipu:glm-5',
    'zai glm-5 https://api.z.ai/api/paas/v4',
  ],
  [
    'a wanted model comes before the configured one',
    { config: { model: 'a/b' }, environment: openRouterKey },
    'c/d',
    `openrouter c/d ${openRouterUrl}`,
  ],
  [
    'a provider before a slash',
    { environment: { ...openRouterKey, ...openAiKey } },
    'ollama/qwen3:8b',
    'ollama qwen3:8b http://127.0.0.1:11434/v1',
  ],
  [
    'the configured provider before a slash',
    { environment: openRouterKey },
    'openrouter/openai/gpt-5',
    `openrouter openai/gpt-5 ${openRouterUrl}`,
  ],
  [
    'on OpenRouter a maker before a slash is part of the name',
    { environment: { ...openRouterKey, ...openAiKey } },
    'openai/gpt-5',
    `openrouter openai/gpt-5 ${openRouterUrl}`,
  ],
  [
    'a colon always means a provider',
    { environment: { ...openRouterKey, ...openAiKey } },
    modelReference('openai', 'gpt-5-mini'),
    'openai gpt-5-mini https://api.openai.com/v1',
  ],
  [
    'without an aggregator a slash means a provider',
    { environment: { ...openAiKey, XAI_API_KEY: 'k' } },
    'xai/grok-4',
    'xai grok-4 https://api.x.ai/v1',
  ],
  [
    'on a server of one’s own a slash is part of the name',
    { config: { model: { base_url: 'http://127.0.0.1:1234/v1' } } },
    'openai/gpt-oss-20b',
    'lmstudio openai/gpt-oss-20b http://127.0.0.1:1234/v1',
  ],
  [
    'a colon of a model’s own name is no provider',
    { config: { model: { provider: 'ollama' } } },
    'qwen3:8b',
    'ollama qwen3:8b http://127.0.0.1:11434/v1',
  ],
  [
    'a provider named by itself has the model, whatever that is called',
    { config: { model: { base_url: 'http://127.0.0.1:1234/v1' } }, environment: openAiKey },
    certainReference('OpenAI', 'gpt-5:mini'),
    'openai gpt-5:mini https://api.openai.com/v1',
  ],
  [
    'a provider alone means its usual model',
    { environment: { ...openRouterKey, ...openAiKey } },
    'openai:',
    'openai gpt-5 https://api.openai.com/v1',
  ],
  [
    'an endpoint of one’s own',
    { config: own, environment: { WORK_KEY: 'k' } },
    'work/small',
    'work small https://models.work.example/v1',
  ],
  [
    'its usual model',
    { config: own, environment: { WORK_KEY: 'k' } },
    'work',
    'work big https://models.work.example/v1',
  ],
  [
    'one from the older list, by upstream’s name for it',
    { config: own },
    'custom:my-lab',
    'my-lab lab-model http://10.0.0.5:8000/v1',
  ],
  [
    'the first of one’s own when there is no key',
    { config: own },
    undefined,
    'my-lab lab-model http://10.0.0.5:8000/v1',
  ],
  [
    'a configured provider of one’s own',
    { config: { ...own, model: { provider: 'Work' } }, environment: { WORK_KEY: 'k', ...openRouterKey } },
    undefined,
    'work big https://models.work.example/v1',
  ],
  [
    'a model alias',
    {
      config: { model_aliases: { Fast: { model: 'grok-4-fast', provider: 'xai' } } },
      environment: { ...openRouterKey, XAI_API_KEY: 'k' },
    },
    'fast',
    'xai grok-4-fast https://api.x.ai/v1',
  ],
  [
    'a model alias with an address',
    { config: { model_aliases: { box: { model: 'm', base_url: 'http://10.1.1.1/v1' } } } },
    'box',
    'custom m http://10.1.1.1/v1',
  ],
  ['nothing at all', {}, undefined, 'offline offline'],
  ['the offline model by name', { environment: openRouterKey }, 'offline', 'offline offline'],
]
for (const [what, given, wanted, expected] of cases) {
  test(`${what}: ${wanted ?? '(configured)'} is ${expected}`, async () => {
    assert.equal(await resolved(given, wanted), expected)
  })
}

const refusals: readonly [string, Given, string | undefined, RegExp][] = [
  [
    'a provider without its key',
    { config: { model: { provider: 'openrouter', default: 'x/y' } } },
    undefined,
    /OpenRouter needs a key\. Set OPENROUTER_API_KEY in .*openrouter\.ai\/keys/,
  ],
  ['an endpoint of one’s own without its key', { config: own }, 'work/small', /Work box needs a key: set WORK_KEY/],
  [
    'a provider that is none, named by itself, also where an endpoint is configured',
    { config: { model: { base_url: 'http://127.0.0.1:9/v1' } } },
    certainReference('openruter', 'x/y'),
    /no provider openruter\. Did you mean openrouter/,
  ],
  [
    'a misspelt model with nothing configured',
    {},
    'claude-sonet',
    /No provider is configured that could serve claude-sonet\. Did you mean claude-sonnet-\S+ of \w+.*\?/,
  ],
  [
    'a misspelt provider',
    { config: { model: { provider: 'openruter' } } },
    undefined,
    /no provider openruter\. Did you mean openrouter/,
  ],
  [
    'a provider that is like none',
    { config: { model: { provider: 'xqzw' } } },
    undefined,
    /no provider xqzw\. Known: openrouter, nous/,
  ],
  ['custom without an address', { config: { model: { provider: 'custom' } } }, undefined, /set model\.base_url/],
  [
    'a model with nothing to serve it',
    {},
    'gpt-5',
    /No provider is configured that could serve gpt-5.*OPENROUTER_API_KEY/,
  ],
  [
    'a misspelt provider of a model with nothing to serve it',
    {},
    'antropic/claude-opus-5',
    /could serve antropic\/claude-opus-5\. Did you mean anthropic\/claude-opus-5\? To connect/,
  ],
  ['a misspelt provider alone', {}, 'antropic:', /^There is no provider antropic\. Did you mean anthropic\?$/],
  [
    'a misspelt provider alone, with a server of one’s own configured',
    { config: { model: { base_url: 'http://127.0.0.1:9/v1' } } },
    'antropic:',
    /^There is no provider antropic\. Did you mean anthropic\?$/,
  ],
  [
    'a key of Anthropic’s console that is not there',
    {},
    'anthropic/claude-opus-5',
    /Set ANTHROPIC_API_KEY in .*console\.anthropic\.com.*hermes auth add anthropic/,
  ],
  ['a configured model with nothing to serve it', { config: { model: 'gpt-5' } }, undefined, /could serve gpt-5/],
]
for (const [what, given, wanted, message] of refusals) {
  test(`${what} is told with what to do`, async () => {
    await assert.rejects(resolve(given, wanted), fails('not-configured', message))
  })
}

test('a provider that is only signed in to says how', async () => {
  for (const provider of ['nous', 'codex', 'qwen-oauth']) {
    const given = { config: { model: { provider, default: 'm' } }, environment: openRouterKey }
    await assert.rejects(resolve(given), fails('not-configured', /needs a sign-in\. .*hermes auth add/))
  }
})

test('a running local server is found, asked once, and used by itself', async () => {
  await using ollama = await startScriptedModel([{ text: 'Hi' }], {
    models: ['nomic-embed-text', { id: 'qwen3:8b', context_length: 40_960 }],
  })
  await using vllm = await startScriptedModel([], { models: ['other'] })
  const localServers = [
    { provider: 'ollama', port: ollama.port },
    { provider: 'vllm', port: vllm.port },
  ]
  const models = modelsFor({ localServers })
  const found = await models.resolve(undefined, never)
  assert.equal(found.provider.name, 'ollama')
  assert.equal(found.model, 'qwen3:8b')
  assert.equal(found.contextLength, 40_960)
  assert.match(found.notice ?? '', /qwen3:8b of Ollama at http:\/\/127\.0\.0\.1/)
  const again = await models.resolve(undefined, never)
  assert.equal(again.notice, undefined, 'told once')
  const listings = ollama.modelListings
  await models.resolve('qwen3:8b', never)
  assert.equal(ollama.modelListings, listings, 'a named model needs no listing')
  assert.equal(vllm.modelListings, 1)
  const request = { model: found.model, messages: [{ role: 'user' as const, content: 'hi' }], tools: [] }
  assert.equal((await collectAnswer(found.provider.stream(request, never))).message.content, 'Hi')
})

test('a local server without the wanted model is told with those it has', async () => {
  await using ollama = await startScriptedModel([], { models: ['qwen3:8b', 'llama3.2:3b'] })
  const given = { localServers: [{ provider: 'ollama', port: ollama.port }] }
  await assert.rejects(resolve(given, 'qwen3:9b'), fails('model-not-found', /does not have qwen3:9b; it has qwen3:8b/))
})

test('something else on a usual port is no model server, and a silent one costs no time', async () => {
  const page = createServer((_, response) => response.end('<html>'))
  const silent = createServer(() => {})
  for (const server of [page, silent]) {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }
  const localServers = [page, silent].map((server) => ({
    provider: 'llamacpp',
    port: (server.address() as AddressInfo).port,
  }))
  const startedAt = performance.now()
  assert.equal(await resolved({ localServers }), 'offline offline')
  assert.ok(performance.now() - startedAt < 30_000)
  for (const server of [page, silent]) {
    server.close()
    server.closeAllConnections()
  }
})

test('where to look on this machine can be said in the environment', async () => {
  await using server = await startScriptedModel([], { models: ['m'] })
  const config = configSchema.parse({}) as unknown as Config
  const at = (places: string) =>
    createModels({ config, environment: { HERMES_LOCAL_SERVERS: places }, log: silentLogger }).resolve(undefined, never)
  assert.equal((await at(`vllm=${server.port}`)).provider.name, 'vllm')
  assert.equal((await at('off')).provider.name, 'offline')
  assert.equal((await at('')).provider.name, 'offline')
})

test('a configured key keeps this machine from being searched', async () => {
  await using server = await startScriptedModel([], { models: ['m'] })
  await resolve({ environment: openRouterKey, localServers: [{ provider: 'ollama', port: server.port }] })
  assert.equal(server.modelListings, 0)
})

test('an endpoint without a named model takes the first one nearby, and lists them elsewhere', async () => {
  await using server = await startScriptedModel([], { models: ['text-embedding-3', 'a', 'b'] })
  const found = await resolve({ config: { model: { base_url: server.url } } })
  assert.equal(found.model, 'a')
  assert.match(found.notice ?? '', /using a of/)
})

test('keys go to their own provider only, as a bearer, and a configured one wins', async () => {
  await using server = await startScriptedModel([{ text: 'a' }], { repeat: true })
  const keyAt = async (given: Given, wanted?: string): Promise<unknown> => {
    const { provider, model } = await resolve(given, wanted)
    await collectAnswer(provider.stream({ model, messages: [{ role: 'user', content: 'hi' }], tools: [] }, never))
    return server.requests.at(-1)?.headers['authorization']
  }
  const environment = { ...openRouterKey, ...openAiKey, WORK_KEY: 'w-key' }
  const model = { base_url: server.url, default: 'm' }
  assert.equal(await keyAt({ config: { model }, environment }), 'Bearer oa-key')
  assert.equal(await keyAt({ config: { model }, environment: openRouterKey }), undefined)
  assert.equal(await keyAt({ config: { model: { ...model, api_key: 'c-key' } }, environment }), 'Bearer c-key')
  const providers = { work: { base_url: server.url, key_env: 'WORK_KEY' }, bare: { base_url: server.url } }
  assert.equal(await keyAt({ config: { providers }, environment }, 'work/m'), 'Bearer w-key')
  assert.equal(await keyAt({ config: { providers }, environment }, 'bare/m'), undefined)
  const moved = { ...environment, OPENROUTER_BASE_URL: server.url }
  assert.equal(await keyAt({ environment: moved }), 'Bearer or-key')
  // The configured address and key belong to the configured provider, not to another that is asked for.
  const mixed = { config: { model: { ...model, provider: 'xai', api_key: 'c-key' } }, environment: moved }
  assert.equal(await keyAt(mixed, 'openrouter/x/y'), 'Bearer or-key')
})

test('OpenRouter gets its headers, routing and reasoning', async () => {
  await using server = await startScriptedModel([{ text: 'a' }])
  const given: Given = {
    config: { provider_routing: { sort: 'price', only: ['x'], require_parameters: true } },
    environment: { ...openRouterKey, OPENROUTER_BASE_URL: server.url },
  }
  const { provider, model, maxOutputTokens } = await resolve(given)
  assert.equal(maxOutputTokens, familyOutputLimit('claude-sonnet-4.6'))
  const messages = [{ role: 'user' as const, content: 'hi' }]
  await collectAnswer(provider.stream({ model, messages, tools: [], maxOutputTokens, reasoningEffort: 'high' }, never))
  const [request] = server.requests
  assert.equal(request?.headers['x-openrouter-title'], 'Hermes Agent')
  assert.deepEqual(request?.body['provider'], { sort: 'price', only: ['x'], require_parameters: true })
  assert.deepEqual(request?.body['reasoning'], { enabled: true, effort: 'high' })
  assert.equal(request?.body['max_tokens'], maxOutputTokens)
})

const windows: readonly [string, Given, string | undefined, number][] = [
  ['the family’s', { environment: openRouterKey }, 'z-ai/glm-5', 202_752],
  ['an unknown model’s', { environment: openRouterKey }, 'x/y', 128_000],
  [
    'the configured one’s',
    { config: { model: { default: 'x/y', context_length: 9000 } }, environment: openRouterKey },
    undefined,
    9000,
  ],
  [
    'not the configured one’s for another model',
    { config: { model: { default: 'x/y', context_length: 9000 } }, environment: openRouterKey },
    'z-ai/glm-5',
    202_752,
  ],
  [
    'one’s own endpoint’s',
    {
      config: {
        custom_providers: [
          { name: 'b', base_url: 'http://10.0.0.1/v1', context_length: 5000, models: { m: { context_length: 6000 } } },
        ],
      },
    },
    'b/m',
    6000,
  ],
  [
    'what Ollama is asked for',
    { config: { model: { provider: 'ollama', default: 'm', ollama_num_ctx: 16_384 } } },
    undefined,
    16_384,
  ],
]
for (const [what, given, wanted, expected] of windows) {
  test(`the context window is ${what}: ${expected}`, async () => {
    assert.equal((await resolve(given, wanted)).contextLength, expected)
  })
}

test('the offline model comes with a notice that says so and how to connect a real one', async () => {
  const models = modelsFor({ environment: { ANTHROPIC_TOKEN_UNUSED: 'x' } })
  const { notice } = await models.resolve(undefined, never)
  assert.match(notice ?? '', /offline model[^]*OPENROUTER_API_KEY/)
  assert.equal((await models.resolve(undefined, never)).notice, undefined)
})

test('an aborted resolve throws the reason', async () => {
  const reason = new Error('enough')
  await assert.rejects(modelsFor().resolve(undefined, AbortSignal.abort(reason)), (error) => error === reason)
})
