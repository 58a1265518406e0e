import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Script } from '@hermes/testing'
import { startTestWire } from '@hermes/testing/test-wire.ts'
import type { TestWire } from '@hermes/testing/test-wire.ts'
import type { ToolSchema } from '../model.ts'
import { fixedKey } from '../keys/keys.ts'
import type { TranscriptMessage } from '../transcript.ts'
import { ownDialect } from './dialect.ts'

const tool: ToolSchema = { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } }

function setUp(script: Script): Promise<TestWire> {
  const options = { now: () => 1_000_000, keys: fixedKey('sk-ant-api03-made-up') }
  const request = { model: 'anthropic/claude-sonnet-4.5' }
  return startTestWire({ wire: 'messages', dialect: ownDialect }, script, { ...options, request })
}

test('text, thinking with its signature, calls and usage arrive, and go back as they came', async () => {
  await using all = await setUp([
    {
      reasoning: 'A file is wanted.',
      text: 'Reading it.',
      toolCalls: [{ name: 'read_file', arguments: { path: 'ä b.txt' } }],
      usage: { input_tokens: 7, output_tokens: 5, cache_read_input_tokens: 90, cache_creation_input_tokens: 3 },
    },
    { text: 'Done.' },
  ])
  const answer = await all.ask({ tools: [tool], reasoningEffort: 'low' })
  assert.equal(answer.message.content, 'Reading it.')
  assert.equal(answer.message.reasoning, 'A file is wanted.')
  assert.equal(answer.finish, 'tool_calls')
  assert.deepEqual(answer.usage, {
    inputTokens: 7,
    outputTokens: 5,
    cacheReadTokens: 90,
    cacheWriteTokens: 3,
    reasoningTokens: 0,
  })
  const [call] = answer.message.toolCalls
  assert.deepEqual(JSON.parse(call?.arguments ?? ''), { path: 'ä b.txt' })

  const messages: TranscriptMessage[] = [
    { role: 'system', content: 'You are Hermes.' },
    { role: 'user', content: 'hi' },
    answer.message,
    { role: 'tool', toolCallId: call?.id ?? '', toolName: 'read_file', content: 'content' },
  ]
  await all.ask({ messages, tools: [tool], reasoningEffort: 'low' })
  const [first, second] = all.server.requests
  assert.equal(second?.problem, undefined)
  assert.equal(first?.headers['x-api-key'], 'sk-ant-api03-made-up')
  assert.equal(first?.body.model, 'claude-sonnet-4-5')
  assert.deepEqual(first?.body['thinking'], { type: 'enabled', budget_tokens: 4000 })
  const sent = second?.body.messages?.[1]?.content as { type: string }[]
  assert.deepEqual(sent[0], { type: 'thinking', thinking: 'A file is wanted.', signature: 'sig_0' })
  assert.match(JSON.stringify(second?.body['system']), /cache_control/)
})

test('Claude 4.6 and later choose their thinking themselves, by the effort', async () => {
  await using all = await setUp(() => ({ text: 'ok' }))
  await all.ask({ model: 'claude-opus-4-6', reasoningEffort: 'xhigh' })
  assert.deepEqual(all.server.requests[0]?.body['thinking'], { type: 'adaptive' })
  assert.deepEqual(all.server.requests[0]?.body['output_config'], { effort: 'max' })
})

test('faster service is asked for where there is one', async () => {
  await using all = await setUp(() => ({ text: 'ok' }))
  await all.ask({ model: 'claude-opus-4.6', priority: true })
  await all.ask({ model: 'claude-sonnet-4.6', priority: true })
  const [fast, usual] = all.server.requests
  assert.equal(fast?.body['speed'], 'fast')
  assert.match(String(fast?.headers['anthropic-beta']), /fast-mode/)
  assert.equal(usual?.body['speed'], undefined)
  assert.doesNotMatch(String(usual?.headers['anthropic-beta']), /fast-mode/)
})

test('a sign-in goes as a bearer token, a key of the console as what it is', async () => {
  for (const [key, header, value] of [
    ['sk-ant-oat01-made-up', 'authorization', 'Bearer sk-ant-oat01-made-up'],
    ['eyJmade-up', 'authorization', 'Bearer eyJmade-up'],
    ['sk-ant-api03-made-up', 'x-api-key', 'sk-ant-api03-made-up'],
  ] as const) {
    const headers = ownDialect.headers(key)
    assert.equal(headers[header], value)
    assert.equal(/oauth-2025-04-20/.test(headers['anthropic-beta'] ?? ''), header === 'authorization')
    assert.equal('x-api-key' in headers && 'authorization' in headers, false)
  }
})

test('thinking that the server refuses is left out, once and for all', async () => {
  const refused = { type: 'http', status: 400, message: 'messages.1: Invalid `signature` in `thinking` block' } as const
  await using all = await setUp([{ fault: refused }, { text: 'ok' }, { text: 'ok' }])
  const messages: TranscriptMessage[] = [
    { role: 'user', content: 'a' },
    {
      role: 'assistant',
      content: 'b',
      toolCalls: [],
      reasoningDetails: [{ type: 'thinking', thinking: 'x', signature: 'of another account' }],
    },
    { role: 'user', content: 'c' },
  ]
  assert.equal((await all.ask({ messages, reasoningEffort: 'high' })).message.content, 'ok')
  await all.ask({ messages })
  assert.deepEqual(
    all.server.requests.map(({ body }) => JSON.stringify(body.messages).includes('of another account')),
    [true, false, false],
  )
})

for (const [status, type, code] of [
  [401, 'authentication_error', 'auth'],
  [404, 'not_found_error', 'model-not-found'],
  [413, 'request_too_large', 'payload-too-large'],
  [429, 'rate_limit_error', 'rate-limited'],
  [500, 'api_error', 'server'],
  [529, 'overloaded_error', 'overloaded'],
] as const) {
  test(`status ${status} (${type}) is the failure ${code}`, async () => {
    await using all = await setUp([
      { fault: { type: 'http', status, errorType: type, headers: { 'retry-after': '7' } } },
    ])
    await assert.rejects(all.ask(), { code, retryAfterMs: 7000 })
  })
}

test('an overload in the middle of a stream, a cut stream and a broken frame are told apart', async () => {
  await using all = await setUp([
    {
      text: 'a b c',
      fault: { type: 'error-object', afterChunks: 4, error: { type: 'overloaded_error', message: 'Overloaded' } },
    },
    { text: 'a b c', endMark: false },
    { text: 'a b c', fault: { type: 'malformed-frame', afterChunks: 4 } },
    { text: 'a b c', fault: { type: 'drop', afterChunks: 4 } },
  ])
  await assert.rejects(all.ask(), { code: 'overloaded' })
  await assert.rejects(all.ask(), { code: 'malformed-stream' })
  await assert.rejects(all.ask(), { code: 'malformed-stream' })
  await assert.rejects(all.ask(), { code: 'network' })
})

test('it does not matter where the network cuts the stream', async () => {
  const answer = {
    text: 'grüße 你好',
    reasoning: 'hm',
    toolCalls: [{ name: 'read_file', arguments: { path: '目录/ä' } }],
  }
  await using all = await setUp((_request, n) => ({ ...answer, pieceBytes: n + 1 }))
  const whole = await all.ask({ tools: [tool] })
  for (let n = 1; n < 12; n++) {
    const next = await all.ask({ tools: [tool] })
    assert.equal(next.message.content, whole.message.content)
    assert.equal(next.message.toolCalls[0]?.arguments, whole.message.toolCalls[0]?.arguments)
  }
})
