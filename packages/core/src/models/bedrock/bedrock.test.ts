import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Script } from '@hermes/testing'
import { accessKeyId } from '@hermes/testing/scripted-model/converse/signature.ts'
import { eventMessage } from '@hermes/testing/scripted-model/converse/event-message.ts'
import { startTestWire } from '@hermes/testing/test-wire.ts'
import type { TestWire } from '@hermes/testing/test-wire.ts'
import * as fc from 'fast-check'
import { fixedKey } from '../keys/keys.ts'
import type { ToolSchema } from '../model.ts'
import type { TranscriptMessage } from '../transcript.ts'
import { createEventStreamDecoder } from './event-stream.ts'
import { signatureHeaders } from './sign.ts'

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYSCRIPTED'
const tool: ToolSchema = { name: 'read_file', description: 'Reads.', parameters: { type: 'object', properties: {} } }
const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'

function setUp(script: Script, { bearer, token }: { bearer?: string; token?: string } = {}): Promise<TestWire> {
  const credentials = { accessKeyId, secretAccessKey: secret, ...(token && { sessionToken: token }) }
  const dialect = { region: 'eu-central-1', credentials: async () => credentials }
  const options = { apiKey: bearer ?? secret, keys: fixedKey(bearer), request: { model: claude } }
  return startTestWire({ wire: 'converse', dialect }, script, options)
}

test('text, thinking with its signature, calls and usage arrive, and go back as they came', async () => {
  await using all = await setUp([
    {
      reasoning: 'A file is wanted.',
      text: 'Reading it.',
      toolCalls: [{ name: 'read_file', arguments: { path: 'ä b.txt' } }],
      usage: { inputTokens: 7, outputTokens: 5, cacheReadInputTokens: 90, cacheWriteInputTokens: 3 },
    },
    { text: 'Done.' },
  ])
  const { message, finish, usage } = await all.ask({ tools: [tool], reasoningEffort: 'low' })
  assert.equal(message.content, 'Reading it.')
  assert.equal(message.reasoning, 'A file is wanted.')
  assert.equal(finish, 'tool_calls')
  assert.deepEqual(usage, {
    inputTokens: 7,
    outputTokens: 5,
    cacheReadTokens: 90,
    cacheWriteTokens: 3,
    reasoningTokens: 0,
  })
  const [call] = message.toolCalls
  assert.deepEqual(JSON.parse(call?.arguments ?? ''), { path: 'ä b.txt' })
  const messages: TranscriptMessage[] = [
    { role: 'system', content: 'You are Hermes.' },
    { role: 'user', content: 'hi' },
    message,
    { role: 'tool', toolCallId: call?.id ?? '', toolName: 'read_file', content: 'content' },
  ]
  await all.ask({ messages, tools: [tool], reasoningEffort: 'low' })
  const [first, second] = all.server.requests
  assert.equal(second?.problem, undefined)
  assert.match(first?.path ?? '', /\/model\/us\.anthropic\.claude-sonnet-4-5-20250929-v1%3A0\/converse-stream$/)
  assert.match(
    JSON.stringify(second?.body.messages),
    /"reasoningText":\{"text":"A file is wanted\.","signature":"sig_0"\}/,
  )
  assert.deepEqual(first?.body['additionalModelRequestFields'], { thinking: { type: 'enabled', budget_tokens: 4000 } })
})

test('calls are signed, with a session token too, or carry a key of Bedrock', async () => {
  for (const how of [{}, { token: 'a session/token+=' }, { bearer: 'bedrock-api-key' }]) {
    await using all = await setUp([{ text: 'ok' }], how)
    assert.equal((await all.ask({ model: 'arn:aws:bedrock:x/y z' })).message.content, 'ok')
    assert.match(
      String(all.server.requests[0]?.headers['authorization']),
      'bearer' in how ? /^Bearer/ : /^AWS4-HMAC-SHA256/,
    )
  }
})

test('a signature is the one that Amazon publishes for its example', () => {
  // https://docs.aws.amazon.com/general/latest/gr/signature-v4-test-suite.html, get-vanilla-query-order-key-case
  const { authorization } = signatureHeaders(
    { method: 'GET', url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1', headers: {} },
    {
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
      region: 'us-east-1',
      service: 'service',
      nowMs: Date.UTC(2015, 7, 30, 12, 36, 0),
    },
  )
  assert.equal(
    authorization,
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  )
})

test('the framing is read however the network cuts it, and a damaged message is noticed', () => {
  const header = fc.dictionary(fc.stringMatching(/^[a-z:-]{1,20}$/), fc.string({ maxLength: 30 }), { maxKeys: 4 })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(header, fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 })), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.array(fc.nat({ max: 40 })),
      (messages, cuts) => {
        const bytes = Buffer.concat(messages.map(([headers, payload]) => eventMessage(headers, payload)))
        const decode = createEventStreamDecoder()
        const read: unknown[] = []
        let at = 0
        for (const length of [...cuts, bytes.length]) {
          for (const { headers, payload } of decode(bytes.subarray(at, at + length))) {
            read.push([Object.fromEntries(headers), payload])
          }
          at += length
        }
        assert.deepEqual(
          read,
          messages.map(([headers, payload]) => [{ ...headers }, { ...payload }]),
        )
      },
    ),
  )
  const whole = Buffer.from(eventMessage({ ':event-type': 'x' }, { a: 1 }))
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at)
    assert.throws(() => [...createEventStreamDecoder()(damaged)], { name: 'EventStreamError' })
  }
})

for (const [type, code] of [
  ['throttlingException', 'rate-limited'],
  ['modelStreamErrorException', 'server'],
  ['serviceUnavailableException', 'overloaded'],
  ['validationException', 'invalid-request'],
] as const) {
  test(`the exception ${type} in a stream is the failure ${code}`, async () => {
    await using all = await setUp([
      { text: 'a b', fault: { type: 'error-object', afterChunks: 2, error: { type, message: 'No.' } } },
    ])
    await assert.rejects(all.ask(), { code })
  })
}

test('a cut stream, and one that is no event stream, are told apart from an answer', async () => {
  await using all = await setUp([
    { text: 'a b c', endMark: false },
    { text: 'a b c', fault: { type: 'malformed-frame', afterChunks: 2 } },
    { text: 'a b c', fault: { type: 'drop', afterChunks: 2 } },
  ])
  await assert.rejects(all.ask(), { code: 'malformed-stream' })
  await assert.rejects(all.ask(), { code: 'malformed-stream' })
  await assert.rejects(all.ask(), { code: 'network' })
})

test('without keys of any kind, what to set is told', async () => {
  const dialect = { region: 'x', credentials: async () => undefined }
  const options = { keys: fixedKey(undefined), place: { keyHint: 'Set X.' } }
  await using wire = await startTestWire({ wire: 'converse', dialect }, [], options)
  await assert.rejects(wire.ask(), { code: 'not-configured', message: /needs a key\. Set X\./ })
})
