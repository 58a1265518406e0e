import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectAnswer, startScriptedModel } from '@hermes/testing'
import type { RecordedRequest } from '@hermes/testing'
import * as fc from 'fast-check'
import { configSchema } from '../../config/schema.ts'
import type { Config } from '../../config/schema.ts'
import { silentLogger } from '../../log/logger.ts'
import { createModels } from '../create-models.ts'
import type { ModelRequest } from '../model.ts'
import type { TranscriptMessage } from '../transcript.ts'
import { callId } from './mistral.ts'
import { knownProviders } from './registry.ts'

const never = new AbortController().signal

/** The request that a provider makes for a model, at a server of ours. */
async function requestOf(
  model: string,
  environment: Readonly<Record<string, string>>,
  request: Partial<ModelRequest> = {},
  config: Readonly<Record<string, unknown>> = {},
): Promise<RecordedRequest> {
  await using server = await startScriptedModel([{ text: 'ok' }])
  const moved = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replace('URL', server.url)]),
  )
  // The schema's own output, frozen by the loader; only the type says so here.
  const parsed = configSchema.parse(config) as unknown as Config
  const models = createModels({ config: parsed, environment: moved, log: silentLogger, localServers: [] })
  const resolved = await models.resolve(model, never)
  const messages: TranscriptMessage[] = [{ role: 'user', content: 'hi' }]
  await collectAnswer(resolved.provider.stream({ model: resolved.model, messages, tools: [], ...request }, never))
  const [recorded] = server.requests
  assert.ok(recorded)
  assert.equal(recorded.problem, undefined)
  return recorded
}

const wires: readonly [
  model: string,
  environment: Record<string, string>,
  wire: string,
  header: readonly [string, string],
][] = [
  [
    'deepseek:deepseek-chat',
    { DEEPSEEK_API_KEY: 'k-1234', DEEPSEEK_BASE_URL: 'URL' },
    'chat',
    ['authorization', 'Bearer k-1234'],
  ],
  [
    'minimax:MiniMax-M2.7',
    { MINIMAX_API_KEY: 'k-1234', MINIMAX_BASE_URL: 'URL/anthropic' },
    'messages',
    ['authorization', 'Bearer k-1234'],
  ],
  [
    'minimax:MiniMax-M2.7',
    { MINIMAX_API_KEY: 'k-1234', MINIMAX_BASE_URL: 'URL' },
    'chat',
    ['authorization', 'Bearer k-1234'],
  ],
  ['copilot:gpt-4.1', { GH_TOKEN: 'gho_1234', COPILOT_API_BASE_URL: 'URL' }, 'chat', ['x-initiator', 'user']],
  [
    'copilot:gpt-5.1',
    { GH_TOKEN: 'gho_1234', COPILOT_API_BASE_URL: 'URL' },
    'responses',
    ['openai-intent', 'conversation-edits'],
  ],
  [
    'opencode-zen:claude-sonnet-4-6',
    { OPENCODE_ZEN_API_KEY: 'k-1234', OPENCODE_ZEN_BASE_URL: 'URL' },
    'messages',
    ['x-api-key', 'k-1234'],
  ],
  [
    'opencode-zen:gpt-5.1',
    { OPENCODE_ZEN_API_KEY: 'k-1234', OPENCODE_ZEN_BASE_URL: 'URL' },
    'responses',
    ['authorization', 'Bearer k-1234'],
  ],
  [
    'opencode-zen:glm-5',
    { OPENCODE_ZEN_API_KEY: 'k-1234', OPENCODE_ZEN_BASE_URL: 'URL' },
    'chat',
    ['authorization', 'Bearer k-1234'],
  ],
  [
    'opencode-go:minimax-m2.7',
    { OPENCODE_GO_API_KEY: 'k-1234', OPENCODE_GO_BASE_URL: 'URL' },
    'messages',
    ['x-api-key', 'k-1234'],
  ],
  [
    'custom:gpt-5.1',
    { OPENAI_API_KEY: 'k-1234', OPENAI_BASE_URL: 'URL' },
    'responses',
    ['authorization', 'Bearer k-1234'],
  ],
  ['custom:qwen3', { OPENAI_API_KEY: 'k-1234', OPENAI_BASE_URL: 'URL' }, 'chat', ['authorization', 'Bearer k-1234']],
  [
    'openrouter:openai/gpt-5.1',
    { OPENROUTER_API_KEY: 'k-1234', OPENROUTER_BASE_URL: 'URL' },
    'chat',
    ['x-openrouter-title', 'Hermes Agent'],
  ],
  [
    'openrouter:x/y',
    { OPENAI_API_KEY: 'sk-or-1234', OPENROUTER_BASE_URL: 'URL' },
    'chat',
    ['authorization', 'Bearer sk-or-1234'],
  ],
  ['xai:grok-4', { XAI_API_KEY: 'k-1234', XAI_BASE_URL: 'URL' }, 'chat', ['x-grok-conv-id', 's1']],
]
for (const [model, environment, wire, [name, value]] of wires) {
  test(`${model} is asked over ${wire} at ${Object.values(environment)[1]}`, async () => {
    const request = await requestOf(model, environment, { sessionId: 's1' })
    assert.equal(request.wire, wire)
    assert.equal(request.headers[name], value)
  })
}

test('`api_mode` decides over the wire, whatever the model is', async () => {
  const environment = { OPENAI_API_KEY: 'k-1234', OPENAI_BASE_URL: 'URL' }
  for (const [mode, model, wire] of [
    ['chat_completions', 'gpt-5.1', 'chat'],
    ['codex_responses', 'qwen3', 'responses'],
    ['anthropic_messages', 'qwen3', 'messages'],
  ] as const) {
    const request = await requestOf(
      '',
      environment,
      {},
      { model: { provider: 'custom', default: model, api_mode: mode } },
    )
    assert.equal(request.wire, wire, mode)
  }
})

test('a server without responses is asked for chat completions from then on', async () => {
  const missing = { type: 'http', status: 404, message: 'Not Found' } as const
  await using server = await startScriptedModel((request) =>
    request.wire === 'responses' ? { fault: missing } : { text: 'ok' },
  )
  const config = configSchema.parse({ model: { base_url: server.url, default: 'gpt-5.1' } }) as unknown as Config
  const models = createModels({ config, environment: {}, log: silentLogger, localServers: [] })
  const { provider, model } = await models.resolve(undefined, never)
  const request: ModelRequest = { model, messages: [{ role: 'user', content: 'hi' }], tools: [] }
  for (let i = 0; i < 2; i++) assert.equal((await collectAnswer(provider.stream(request, never))).message.content, 'ok')
  assert.deepEqual(
    server.requests.map(({ wire }) => wire),
    ['responses', 'chat', 'chat'],
  )
})

const talk: readonly TranscriptMessage[] = [
  { role: 'user', content: 'read' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'toolu_long_foreign_id', name: 'read_file', arguments: '{"p":1}' }],
  },
  { role: 'tool', toolCallId: 'toolu_long_foreign_id', toolName: 'read_file', content: 'text' },
  { role: 'user', content: 'stop' },
]

test('Mistral gets ids of nine characters, and nobody speaks right after a tool', async () => {
  const environment = { MISTRAL_API_KEY: 'k-1234', MISTRAL_BASE_URL: 'URL' }
  const { body } = await requestOf('mistral:mistral-large', environment, { messages: talk })
  const messages = body.messages ?? []
  assert.match(messages[1]?.tool_calls?.[0]?.id ?? '', /^[a-zA-Z0-9]{9}$/)
  assert.equal(messages[2]?.tool_call_id, messages[1]?.tool_calls?.[0]?.id)
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'assistant', 'user'],
  )
})

test('ids for Mistral are its own as they are, and others always alike and apart', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 2 }), (ids) => {
      const mapped = ids.map(callId)
      assert.equal(new Set(mapped).size, ids.length)
      for (const id of mapped) {
        assert.match(id, /^[a-zA-Z0-9]{9}$/)
        assert.equal(callId(id), id)
      }
      assert.deepEqual(ids.map(callId), mapped)
    }),
  )
})

test("Gemini gets its own signatures back, and a word for calls of others' models", async () => {
  const environment = { GOOGLE_API_KEY: 'k-1234', GEMINI_BASE_URL: 'URL' }
  const extra = { google: { thought_signature: 'c2lnbmVk' } }
  const own = talk.map((message): TranscriptMessage =>
    message.role === 'assistant'
      ? { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, extra })) }
      : message,
  )
  const sent = async (messages: readonly TranscriptMessage[]): Promise<unknown> =>
    (await requestOf('gemini:gemini-3-pro', environment, { messages })).body.messages?.[1]?.tool_calls?.[0]?.[
      'extra_content'
    ]
  assert.deepEqual(await sent(own), extra)
  assert.deepEqual(await sent(talk), { google: { thought_signature: 'skip_thought_signature_validator' } })
})

test('Gemini gets schemas in the words that it knows', async () => {
  const parameters = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      mode: { const: 'a' },
      size: { type: ['integer', 'null'], exclusiveMinimum: 0 },
      kind: { oneOf: [{ type: 'string' }] },
    },
    required: ['mode'],
    additionalProperties: false,
  }
  const tools = [{ name: 'x', description: 'X.', parameters }]
  const { body } = await requestOf(
    'gemini:gemini-3-pro',
    { GOOGLE_API_KEY: 'k-1234', GEMINI_BASE_URL: 'URL' },
    { tools },
  )
  const [tool] = body.tools ?? []
  assert.deepEqual(tool?.function, {
    name: 'x',
    description: 'X.',
    parameters: {
      type: 'object',
      properties: {
        mode: { enum: ['a'] },
        size: { type: 'integer', nullable: true },
        kind: { anyOf: [{ type: 'string' }] },
      },
      required: ['mode'],
    },
  })
})

test('a picture is told to Copilot, and who asks', async () => {
  const environment = { GH_TOKEN: 'gho_1234', COPILOT_API_BASE_URL: 'URL' }
  const images = [{ mediaType: 'image/png', data: 'AAAA' }]
  const seen = await requestOf('copilot:gpt-4.1', environment, { messages: [{ role: 'user', content: 'hi', images }] })
  assert.equal(seen.headers['copilot-vision-request'], 'true')
  const inLoop = await requestOf('copilot:gpt-4.1', environment, { messages: talk.slice(0, 3) })
  assert.equal(inLoop.headers['x-initiator'], 'agent')
})

test('a key of another address goes there', async () => {
  const config = configSchema.parse({}) as unknown as Config
  const models = createModels({
    config,
    environment: { KIMI_API_KEY: 'sk-kimi-1' },
    log: silentLogger,
    localServers: [],
  })
  assert.equal((await models.resolve('kimi:k', never)).baseUrl, 'https://api.kimi.com/coding/v1')
})

test('Copilot lists the models that the account may use, with their windows', async () => {
  const capabilities = { type: 'chat', limits: { max_context_window_tokens: 400_000, max_output_tokens: 64_000 } }
  const models = [
    { id: 'gpt-5', capabilities, model_picker_enabled: true, policy: { state: 'enabled' } },
    { id: 'gpt-4o', model_picker_enabled: false },
    { id: 'claude-opus-5', model_picker_enabled: true, policy: { state: 'unconfigured' } },
    { id: 'text-embedding-3-small', capabilities: { type: 'embeddings' } },
  ]
  await using server = await startScriptedModel([], { models })
  const environment = { GH_TOKEN: 'gho_1234', COPILOT_API_BASE_URL: server.url }
  // The schema's own output, frozen by the loader; only the type says so here.
  const config = configSchema.parse({}) as unknown as Config
  const { provider } = await createModels({ config, environment, log: silentLogger }).resolve('copilot:gpt-5', never)
  assert.deepEqual(await provider.models?.(never), [{ id: 'gpt-5', contextLength: 400_000, maxOutputTokens: 64_000 }])
})

test('every provider says how it is spoken to, and no two share a name', () => {
  const providers = knownProviders()
  for (const { name, speaks, wireFor, keys, needsKey, signsIn } of providers.values()) {
    assert.ok(Object.keys(speaks).length > 0, name)
    const chosen = wireFor?.('gpt-5', 'https://x.example')
    if (chosen) assert.ok(speaks[chosen], `${name} has no ${chosen}`)
    assert.ok(!needsKey || keys.length > 0 || signsIn, `${name} needs a key that nobody can give`)
  }
  assert.equal(providers.size, 32)
})

test('a subscription pays for keys and addresses that are of one', () => {
  const isPaid = (name: string, baseUrl: string, apiKey: string): boolean | undefined =>
    knownProviders().get(name)?.isSubscription?.({ baseUrl, apiKey })
  const paid: readonly [name: string, baseUrl: string, apiKey: string, expected: boolean][] = [
    ['anthropic', 'https://api.anthropic.com', 'sk-ant-oat01-x', true],
    ['anthropic', 'https://api.anthropic.com', 'sk-ant-api03-x', false],
    ['kimi-coding', 'https://api.kimi.com/coding/v1', 'sk-kimi-x', true],
    ['kimi-coding', 'https://api.moonshot.ai/v1', 'sk-x', false],
    ['zai', 'https://open.bigmodel.cn/api/coding/paas/v4', 'x', true],
    ['zai', 'https://api.z.ai/api/paas/v4', 'x', false],
  ]
  for (const [name, baseUrl, apiKey, expected] of paid) assert.equal(isPaid(name, baseUrl, apiKey), expected, baseUrl)
})
