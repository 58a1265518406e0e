import assert from 'node:assert/strict'
import { test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { ScriptedAnswer } from './answer.ts'
import { startScriptedModel } from './server.ts'

// The stand-in is only worth something if it speaks as the services do: their own libraries must understand it.

const answer: ScriptedAnswer = {
  reasoning: 'Two files are wanted.',
  text: 'Reading 你好 them.',
  toolCalls: [
    { name: 'read_file', arguments: { path: 'ä.txt' } },
    { name: 'read_file', arguments: { path: 'b.txt' } },
  ],
}

const parameters = { type: 'object' as const, properties: { path: { type: 'string' } } }

function openAi(url: string): OpenAI {
  return new OpenAI({ baseURL: url, apiKey: 'made-up', maxRetries: 0 })
}

function anthropic(url: string): Anthropic {
  return new Anthropic({ baseURL: url.replace(/\/v1$/, ''), apiKey: 'made-up', maxRetries: 0 })
}

const messages = [{ role: 'user' as const, content: 'hi' }]

test("OpenAI's library reads chat completions, streamed and whole", async () => {
  await using server = await startScriptedModel(() => answer)
  const tools = [{ type: 'function' as const, function: { name: 'read_file', parameters } }]
  const client = openAi(server.url)
  const stream = client.chat.completions.stream({
    model: 'm',
    messages,
    tools,
    stream_options: { include_usage: true },
  })
  const streamed = await stream.finalChatCompletion()
  const whole = await client.chat.completions.create({ model: 'm', messages, tools })
  for (const { choices, usage } of [streamed, whole]) {
    const [choice] = choices
    assert.equal(choice?.finish_reason, 'tool_calls')
    assert.equal(choice?.message.content, 'Reading 你好 them.')
    assert.deepEqual(
      choice?.message.tool_calls?.map((call) => call.type === 'function' && call.function.arguments),
      ['{"path":"ä.txt"}', '{"path":"b.txt"}'],
    )
    assert.equal(usage?.completion_tokens, 20)
  }
})

test("OpenAI's library reads responses, streamed and whole", async () => {
  await using server = await startScriptedModel(() => answer)
  const request = {
    model: 'gpt-5.1',
    store: false,
    input: [
      { type: 'message' as const, role: 'user' as const, content: [{ type: 'input_text' as const, text: 'hi' }] },
    ],
    tools: [{ type: 'function' as const, name: 'read_file', parameters, strict: false }],
  }
  const client = openAi(server.url)
  const stream = client.responses.stream(request)
  const deltas: string[] = []
  stream.on('response.output_text.delta', ({ delta }) => void deltas.push(delta))
  const streamed = await stream.finalResponse()
  assert.equal(deltas.join(''), 'Reading 你好 them.')
  const whole = await client.responses.create(request)
  for (const { output, output_text: text, usage, status } of [streamed, whole]) {
    assert.equal(status, 'completed')
    assert.equal(text, 'Reading 你好 them.')
    assert.deepEqual(
      output.map(({ type }) => type),
      ['reasoning', 'message', 'function_call', 'function_call'],
    )
    assert.equal(
      output[0]?.type === 'reasoning' && output[0].encrypted_content,
      'encrypted_0'.replace('0', output === whole.output ? '1' : '0'),
    )
    assert.equal(usage?.output_tokens, 20)
  }
})

test("Anthropic's library reads messages, streamed and whole", async () => {
  await using server = await startScriptedModel(() => answer)
  const tools = [{ name: 'read_file', input_schema: parameters }]
  const client = anthropic(server.url)
  const request = { model: 'claude-sonnet-4-5', max_tokens: 100, messages, tools }
  const stream = client.messages.stream(request)
  const deltas: string[] = []
  stream.on('text', (text) => void deltas.push(text))
  const streamed = await stream.finalMessage()
  assert.equal(deltas.join(''), 'Reading 你好 them.')
  const whole = await client.messages.create(request)
  for (const { content, stop_reason: reason, usage } of [streamed, whole]) {
    assert.equal(reason, 'tool_use')
    assert.deepEqual(
      content.map(({ type }) => type),
      ['thinking', 'text', 'tool_use', 'tool_use'],
    )
    assert.deepEqual(content[2]?.type === 'tool_use' && content[2].input, { path: 'ä.txt' })
    assert.equal(usage.output_tokens, 20)
  }
})

for (const [status, name] of [
  [401, 'AuthenticationError'],
  [404, 'NotFoundError'],
  [429, 'RateLimitError'],
  [500, 'InternalServerError'],
] as const) {
  test(`both libraries know an error ${status} as a ${name}`, async () => {
    await using server = await startScriptedModel(() => ({ fault: { type: 'http', status, message: 'No.' } }))
    const asked = [
      () => openAi(server.url).chat.completions.create({ model: 'm', messages }),
      () => anthropic(server.url).messages.create({ model: 'claude-x', max_tokens: 9, messages }),
    ]
    for (const ask of asked) {
      await assert.rejects(ask(), (error: Error) => error.constructor.name === name && /No\./.test(error.message))
    }
  })
}

test('an error inside a stream, a cut stream and a broken frame are failures to both libraries', async () => {
  const faults: readonly ScriptedAnswer[] = [
    {
      text: 'a b c',
      fault: { type: 'error-object', afterChunks: 3, error: { type: 'overloaded_error', message: 'Busy' } },
    },
    { text: 'a b c', fault: { type: 'malformed-frame', afterChunks: 3 } },
    { text: 'a b c', fault: { type: 'drop', afterChunks: 3 } },
  ]
  for (const fault of faults) {
    await using server = await startScriptedModel(() => fault)
    await assert.rejects(openAi(server.url).chat.completions.stream({ model: 'm', messages }).finalChatCompletion())
    await assert.rejects(
      anthropic(server.url).messages.stream({ model: 'claude-x', max_tokens: 9, messages }).finalMessage(),
    )
  }
})
