import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Script } from '@hermes/testing'
import { startTestWire } from '@hermes/testing/test-wire.ts'
import type { TestWire } from '@hermes/testing/test-wire.ts'
import type { ToolSchema } from '../model.ts'
import type { TranscriptMessage } from '../transcript.ts'
import type { ResponsesDialect } from './dialect.ts'

const tool: ToolSchema = { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } }

function setUp(
  script: Script,
  dialect: ResponsesDialect = { limitsOutput: true, keepsReasoning: true },
): Promise<TestWire> {
  return startTestWire({ wire: 'responses', dialect }, script, { now: () => 1_000_000, request: { model: 'gpt-5.1' } })
}

test('text, encrypted reasoning, parallel calls and usage arrive, and go back as they came', async () => {
  await using all = await setUp([
    {
      reasoning: 'Two files are wanted.',
      text: 'Reading them.',
      toolCalls: [
        { name: 'read_file', arguments: { path: 'ä.txt' } },
        { name: 'read_file', arguments: '{"path":"b.txt"' },
      ],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 90 },
        output_tokens: 9,
        output_tokens_details: { reasoning_tokens: 4 },
      },
    },
    { text: 'Done.' },
  ])
  const { message, finish, usage } = await all.ask({ tools: [tool], reasoningEffort: 'high', sessionId: 's1' })
  assert.equal(message.content, 'Reading them.')
  assert.equal(message.reasoning, 'Two files are wanted.')
  assert.equal(finish, 'tool_calls')
  assert.equal(message.toolCalls[1]?.arguments, '{"path":"b.txt"')
  assert.deepEqual(usage, {
    inputTokens: 10,
    outputTokens: 9,
    cacheReadTokens: 90,
    cacheWriteTokens: 0,
    reasoningTokens: 4,
  })

  const items = all.server.requests[0]
  assert.deepEqual(items?.body['reasoning'], { effort: 'high', summary: 'auto' })
  assert.equal(items?.body['prompt_cache_key'], 's1')
  const events = await all.ask({
    messages: [
      { role: 'system', content: 'You are Hermes.' },
      { role: 'user', content: 'hi' },
      message,
      ...message.toolCalls.map((call): TranscriptMessage => ({
        role: 'tool',
        toolCallId: call.id,
        toolName: call.name,
        content: 'x',
      })),
    ],
    tools: [tool],
  })
  assert.equal(events.message.content, 'Done.')
  const second = all.server.requests[1]
  assert.equal(second?.problem, undefined)
  assert.equal(second?.body['instructions'], 'You are Hermes.')
  assert.match(JSON.stringify(second?.body['input']), /encrypted_0/)
})

test('the reasoning items of an answer are kept for the next request', async () => {
  await using all = await setUp([{ reasoning: 'hm', text: 'ok' }])
  const { events } = await all.ask()
  const finish = events.find((event) => event.type === 'finish')
  assert.match(JSON.stringify(finish), /"encrypted_content":"encrypted_0"/)
})

test('an answer at the output limit and a refused one are told apart', async () => {
  await using all = await setUp([
    { text: 'half', finishReason: 'length' },
    { text: 'no', finishReason: 'content_filter' },
  ])
  assert.equal((await all.ask({ maxOutputTokens: 100 })).finish, 'length')
  assert.equal((await all.ask()).finish, 'content_filter')
  assert.equal(all.server.requests[0]?.body['max_output_tokens'], 100)
})

test('the ChatGPT backend is sent no output limit', async () => {
  await using all = await setUp(() => ({ text: 'ok' }), { limitsOutput: false, keepsReasoning: true })
  await all.ask({ maxOutputTokens: 100 })
  assert.equal(all.server.requests[0]?.body['max_output_tokens'], undefined)
})

test('reasoning that the server cannot read is left out', async () => {
  const refused = { type: 'http', status: 400, message: 'The encrypted content could not be verified.' } as const
  await using all = await setUp([{ fault: refused }, { text: 'ok' }])
  const messages: TranscriptMessage[] = [
    { role: 'user', content: 'a' },
    {
      role: 'assistant',
      content: 'b',
      toolCalls: [],
      codexReasoningItems: [{ type: 'reasoning', encrypted_content: 'zzz' }],
    },
    { role: 'user', content: 'c' },
  ]
  assert.equal((await all.ask({ messages })).message.content, 'ok')
  assert.doesNotMatch(JSON.stringify(all.server.requests[1]?.body), /zzz/)
})

test('a failed response, an error event, a cut stream and a broken frame are told apart', async () => {
  const failed = { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'slow down' } } }
  await using all = await setUp([
    { rawChunks: [failed] },
    {
      text: 'a b',
      fault: {
        type: 'error-object',
        afterChunks: 4,
        error: { code: 'server_error', message: 'The server had an error' },
      },
    },
    { text: 'a b', endMark: false },
    { text: 'a b', fault: { type: 'malformed-frame', afterChunks: 4 } },
  ])
  await assert.rejects(all.ask(), { code: 'rate-limited' })
  await assert.rejects(all.ask(), { code: 'server' })
  await assert.rejects(all.ask(), { code: 'malformed-stream' })
  await assert.rejects(all.ask(), { code: 'malformed-stream' })
})

test('it does not matter where the network cuts the stream', async () => {
  await using all = await setUp((_request, n) => ({
    text: 'grüße 你好',
    toolCalls: [{ name: 'read_file', arguments: { path: '目录' } }],
    pieceBytes: n + 1,
  }))
  const whole = await all.ask({ tools: [tool] })
  for (let n = 1; n < 8; n++) {
    const { message } = await all.ask({ tools: [tool] })
    assert.equal(message.content, whole.message.content)
    assert.equal(message.toolCalls[0]?.arguments, whole.message.toolCalls[0]?.arguments)
  }
})
