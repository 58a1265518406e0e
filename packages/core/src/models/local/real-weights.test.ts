import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { collectAnswer } from '@hermes/testing'
import { toolSchema } from '../../tools/tool-schema.ts'
import { tools } from '../../tools/registry.ts'
import type { ModelRequest } from '../model.ts'
import type { TranscriptMessage } from '../transcript.ts'
import { callFormOf, callGrammar } from './call-grammar.ts'
import { createLocalModels } from './index.ts'
import { loadModel } from './loaded-model.ts'
import { loadRuntime } from './runtime.ts'

// With the real runtime and real weights: HERMES_TEST_LLAMA names a folder that holds `node_modules/node-llama-cpp` and a
// file SmolLM2-135M-Instruct…gguf, which `scripts/test-llama.sh FOLDER` makes.

const folder = process.env['HERMES_TEST_LLAMA'] ?? ''
const file = folder === '' ? undefined : readdirSync(folder).find((name) => /^SmolLM2-135M.*\.gguf$/.test(name))
const skip = file === undefined && 'HERMES_TEST_LLAMA names no folder with real weights; see scripts/test-llama.sh'
const path = join(folder, file ?? '')
const environment = { HERMES_LLAMA_RUNTIME: folder }
const never = new AbortController().signal

function open() {
  const sampling = { temperature: 0, topP: 1, topK: 1, minP: 0 }
  return createLocalModels({ home: undefined, environment, sampling })
}

function request(messages: readonly TranscriptMessage[], rest: Partial<ModelRequest> = {}): ModelRequest {
  return { model: path, messages, tools: [], maxOutputTokens: 24, ...rest }
}

const question: readonly TranscriptMessage[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What is the capital of France?' },
]

test(
  'real weights answer, stream, count, keep what they read, and stop at once',
  { skip, timeout: 600_000 },
  async () => {
    await using models = open()
    const { provider, contextLength } = await models.resolve(path)
    assert.equal(contextLength, 8192)
    const first = await collectAnswer(provider.stream(request(question), never))
    assert.match(first.message.content, /Paris/)
    assert.equal(first.finish, 'stop')
    assert.ok(first.events.filter((event) => event.type === 'text-delta').length > 3)
    assert.ok(first.usage && first.usage.inputTokens > 10 && first.usage.outputTokens > 3)

    const next = [...question, first.message, { role: 'user', content: 'And of Spain?' } as const]
    const second = await collectAnswer(provider.stream(request(next), never))
    assert.match(second.message.content, /Madrid/)
    assert.ok(second.usage && second.usage.cacheReadTokens > second.usage.inputTokens)

    const stop = new AbortController()
    const long = [{ role: 'user', content: 'word '.repeat(4000) } as const]
    const reading = collectAnswer(provider.stream(request(long), stop.signal))
    setTimeout(() => stop.abort(new Error('stopped')), 50)
    await assert.rejects(reading, /stopped/)
    assert.match((await collectAnswer(provider.stream(request(question), never))).message.content, /Paris/)
  },
)

const weather = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } },
    required: ['city'],
  },
}

test('real weights call a tool as the grammar has it', { skip, timeout: 600_000 }, async () => {
  await using models = open()
  const { provider } = await models.resolve(path)
  const shown = ['Rome', 'Oslo', 'Bonn'].flatMap((city, at): readonly TranscriptMessage[] => [
    { role: 'user', content: `What is the weather in ${city}?` },
    {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: `c${at}`, name: 'get_weather', arguments: JSON.stringify({ city }) }],
    },
  ])
  const asked = [...shown, { role: 'user', content: 'What is the weather in Paris?' } as const]
  const answer = await collectAnswer(provider.stream(request(asked, { tools: [weather], maxOutputTokens: 80 }), never))
  assert.deepEqual(
    answer.message.toolCalls.map(({ name, arguments: given }) => [name, JSON.parse(given)]),
    [['get_weather', { city: 'Paris' }]],
  )
  assert.equal(answer.finish, 'tool_calls')
})

test(
  'the runtime takes the grammar of every tool that there is, in every form',
  { skip, timeout: 600_000 },
  async () => {
    const schemas = await Promise.all(Object.values(tools).map(async (load) => toolSchema(await load())))
    const loaded = await loadModel({ path, window: 512 }, await loadRuntime(undefined, environment), never)
    try {
      for (const template of ['<tool_call>', '[TOOL_CALLS]', '<|start_header_id|> "parameters":']) {
        const form = callFormOf(template, true)
        assert.ok(form && (await loaded.grammarState(callGrammar(form, schemas))))
      }
    } finally {
      await loaded[Symbol.asyncDispose]()
    }
  },
)
