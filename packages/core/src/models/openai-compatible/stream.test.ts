import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Script, ScriptedAnswer, ScriptedModel } from '@hermes/testing'
import { startTestWire } from '@hermes/testing/test-wire.ts'
import type { TestWire, TestWireOptions } from '@hermes/testing/test-wire.ts'
import * as fc from 'fast-check'
import type { ModelRequest, ToolSchema } from '../model.ts'
import type { AssistantMessage, TranscriptMessage } from '../transcript.ts'
import { plainDialect } from './dialect.ts'
import type { Dialect } from './dialect.ts'

const never = new AbortController().signal
const readFile: ToolSchema = {
  name: 'read_file',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' }, limit: { type: 'integer' } } },
}

function setUp(
  script: Script,
  { dialect = plainDialect, ...options }: TestWireOptions & { dialect?: Dialect } = {},
): Promise<TestWire> {
  return startTestWire({ wire: 'chat', dialect }, script, {
    place: { isLocal: true },
    now: () => 1_000_000,
    ...options,
  })
}

function asking(request: Partial<ModelRequest> = {}): ModelRequest {
  return { model: 'm', messages: [{ role: 'user', content: 'hello' }], tools: [], ...request }
}

const details: Dialect = { ...plainDialect, replay: () => 'details' }

test('text, reasoning, usage and the finish reason arrive', async () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 7 },
  }
  await using setup = await setUp([{ reasoning: 'Let me see', text: 'It is 42.', usage }])
  const answer = await setup.ask()
  assert.deepEqual(answer.message, {
    role: 'assistant',
    content: 'It is 42.',
    toolCalls: [],
    reasoning: 'Let me see',
    finishReason: 'stop',
  })
  assert.deepEqual(answer.usage, {
    inputTokens: 40,
    outputTokens: 20,
    cacheReadTokens: 60,
    cacheWriteTokens: 0,
    reasoningTokens: 7,
  })
})

test('the field `reasoning` is reasoning too, and its opaque details are joined', async () => {
  const reasoningDetails = [
    { type: 'reasoning.text', index: 0, text: 'a', format: 'x' },
    { type: 'reasoning.text', index: 0, text: 'b', signature: null },
    { type: 'reasoning.text', index: 0, signature: 's' },
    { type: 'reasoning.encrypted', index: 1, data: 'e', id: 'r1' },
  ]
  await using setup = await setUp([{ reasoning: ['th', 'ink'], reasoningField: 'reasoning', reasoningDetails }])
  const { message } = await setup.ask()
  assert.ok(message.reasoning?.startsWith('think'))
  assert.deepEqual(message.reasoningDetails, [
    { type: 'reasoning.text', index: 0, text: 'ab', format: 'x', signature: 's' },
    { type: 'reasoning.encrypted', index: 1, data: 'e', id: 'r1' },
  ])
})

const argumentText = ' {"path" : "ä\\u00e4.txt",\n"limit":1e1} '
const twoCalls: ScriptedAnswer = {
  text: 'Reading.',
  toolCalls: [
    { id: 'a', name: 'read_file', arguments: [argumentText.slice(0, 5), argumentText.slice(5)] },
    { id: 'b', name: 'read_file', arguments: ['{"path"', ': "two"}'] },
  ],
}
for (const interleaved of [false, true]) {
  test(`parallel calls keep their argument text byte for byte${interleaved ? ', interleaved too' : ''}`, async () => {
    await using setup = await setUp([{ ...twoCalls, interleaved }])
    const answer = await setup.ask({ tools: [readFile] })
    assert.equal(answer.finish, 'tool_calls')
    assert.deepEqual(answer.message.toolCalls, [
      { id: 'a', name: 'read_file', arguments: argumentText },
      { id: 'b', name: 'read_file', arguments: '{"path": "two"}' },
    ])
    const order = answer.events.map((event) => event.type).filter((type) => type.startsWith('tool'))
    assert.deepEqual(order, ['tool-call-start', 'tool-call-start', 'tool-call', 'tool-call'])
  })
}

const oddCalls: readonly [string, ScriptedAnswer['toolCalls'], readonly string[]][] = [
  [
    'Ollama numbers every call 0',
    [
      { id: 'a', index: 0, name: 'read_file', arguments: '{"path":"1"}' },
      { id: 'b', index: 0, name: 'read_file', arguments: '{"path":"2"}' },
    ],
    ['{"path":"1"}', '{"path":"2"}'],
  ],
  [
    'there is neither id nor index',
    [
      { id: null, index: null, name: 'read_file', arguments: ['{"path":', '"1"}'] },
      { id: null, index: null, name: 'write_file', arguments: ['{"path":', '"2"}'] },
    ],
    ['{"path":"1"}', '{"path":"2"}'],
  ],
  ['there are no arguments', [{ id: 'a', name: 'read_file', arguments: '' }], ['']],
]
for (const [what, toolCalls, expected] of oddCalls) {
  test(`calls are told apart when ${what}`, async () => {
    await using setup = await setUp([{ toolCalls }])
    const { message } = await setup.ask({ tools: [readFile] })
    assert.deepEqual(
      message.toolCalls.map((call) => call.arguments),
      expected,
    )
    const ids = message.toolCalls.map((call) => call.id)
    assert.ok(ids.every((id) => id !== '') && new Set(ids).size === ids.length, ids.join())
  })
}

test('a call whose arguments come as an object, with its name repeated in each piece, is one call', async () => {
  const piece = (call: object) => ({ choices: [{ delta: { tool_calls: [{ index: 0, ...call }] } }] })
  const rawChunks = [
    piece({ id: 'a', function: { name: 'read_file', arguments: { path: 'x' } } }),
    piece({ id: 'a', function: { name: 'read_file', arguments: '' } }),
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
  ]
  await using setup = await setUp([{ rawChunks }])
  const answer = await setup.ask({ tools: [readFile] })
  assert.deepEqual(answer.message.toolCalls, [{ id: 'a', name: 'read_file', arguments: '{"path":"x"}' }])
  assert.equal(answer.finish, 'tool_calls')
})

test('extra content of a call comes back with the call', async () => {
  const extra = { extra_content: { google: { thought_signature: 'sig' } } }
  await using setup = await setUp([{ toolCalls: [{ id: 'a', name: 'read_file', extra }] }, { text: 'ok' }])
  const { message } = await setup.ask({ tools: [readFile] })
  assert.deepEqual(message.toolCalls[0]?.extra, extra.extra_content)
  await setup.ask({ messages: conversation(message) })
  assert.deepEqual(sentAssistant(setup.server)?.tool_calls?.[0]?.['extra_content'], extra.extra_content)
})

/** An answer as a model may give it: any text, any argument text. */
const anyAnswer = fc.record({
  content: fc.string({ unit: 'grapheme' }),
  calls: fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { maxLength: 3 }),
  reasoning: fc.string({ unit: 'grapheme' }),
  interleaved: fc.boolean(),
})

test('what a model said is sent back to it exactly as it was', async () => {
  await using setup = await setUp([], { dialect: { ...details, inlineCalls: false, inlineReasoning: false } })
  const property = fc.asyncProperty(anyAnswer, async ({ content, calls, reasoning, interleaved }) => {
    fc.pre(content !== '' || calls.length > 0)
    fc.pre(calls.every((text) => text.trim() !== ''))
    const toolCalls = calls.map((text, n) => ({ id: `c${n}`, name: 'read_file', arguments: [text] }))
    const reasoningDetails = reasoning === '' ? [] : [{ type: 'reasoning.text', index: 0, text: reasoning }]
    const before = setup.server.requests.length
    const script: ScriptedAnswer = { text: [content], toolCalls, reasoning: [reasoning], reasoningDetails, interleaved }
    setup.server.add(script, { text: 'ok' })
    const { message } = await setup.ask({ tools: [readFile] })
    await setup.ask({ messages: conversation(message) })
    assert.equal(setup.server.requests[before + 1]?.problem, undefined)
    const sent = setup.server.requests[before + 1]?.body.messages?.[1]
    assert.equal(sent?.content ?? '', content)
    assert.deepEqual(
      (sent?.tool_calls ?? []).map((call) => [call.id, call.function.name, call.function.arguments]),
      calls.map((text, n) => [`c${n}`, 'read_file', text]),
    )
    assert.deepEqual(sent?.['reasoning_details'] ?? [], reasoningDetails)
  })
  await fc.assert(property, { numRuns: 40 })
})

test('an answer in pieces of one byte is the same answer', async () => {
  const answer: ScriptedAnswer = {
    reasoning: 'Grüße 思考',
    text: 'Hallo Wörld 你好 👩‍👩‍👧',
    toolCalls: [{ id: 'a', name: 'read_file', arguments: '{"path":"数据库"}' }],
  }
  await using setup = await setUp([answer, { ...answer, pieceBytes: 1 }])
  const whole = await setup.ask({ tools: [readFile] })
  const cut = await setup.ask({ tools: [readFile] })
  assert.deepEqual(cut.message, whole.message)
  assert.equal(whole.message.content, 'Hallo Wörld 你好 👩‍👩‍👧')
})

test('a server that does not stream is understood', async () => {
  const message = {
    role: 'assistant',
    content: 'Hi',
    tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
  }
  const body = {
    choices: [{ message, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 5, completion_tokens: 1 },
  }
  await using setup = await setUp([{ fault: { type: 'http', status: 200, body } }])
  const answer = await setup.ask()
  assert.equal(answer.message.content, 'Hi')
  assert.equal(answer.message.toolCalls.length, 1)
  assert.equal(answer.usage?.inputTokens, 5)
})

const endings: readonly [string, ScriptedAnswer, string][] = [
  ['no finish reason', { text: 'Hi', finishReason: null }, 'stop'],
  ['neither finish reason nor end mark', { text: 'Hi', finishReason: null, endMark: false }, 'other'],
  ['no end mark', { text: 'Hi', endMark: false }, 'stop'],
  ['an unknown finish reason', { text: 'Hi', finishReason: 'eos' }, 'stop'],
  ['the length limit', { text: 'Hi', finishReason: 'length' }, 'length'],
  ['a content filter', { text: 'Hi', finishReason: 'content_filter' }, 'content_filter'],
  ['`stop` after calls', { toolCalls: [{ name: 'f' }], finishReason: 'stop' }, 'tool_calls'],
  ['`tool_calls` without calls', { text: 'Hi', finishReason: 'tool_calls' }, 'stop'],
  ['nothing at all but `stop`', {}, 'stop'],
]
for (const [what, script, reason] of endings) {
  test(`an answer that ends with ${what} ends as ${reason}`, async () => {
    await using setup = await setUp([script])
    assert.equal((await setup.ask()).finish, reason)
  })
}

const broken: readonly [string, ScriptedAnswer, string][] = [
  ['dropped connection', { text: ['a', 'b'], fault: { type: 'drop', afterChunks: 2 } }, 'network'],
  ['connection dropped before the answer', { fault: { type: 'drop' } }, 'network'],
  [
    'frame that is no JSON',
    { text: ['a', 'b'], fault: { type: 'malformed-frame', afterChunks: 2 } },
    'malformed-stream',
  ],
  ['stalled stream', { text: ['a', 'b'], fault: { type: 'stall', afterChunks: 2 } }, 'timeout'],
  ['server that never answers', { fault: { type: 'stall' } }, 'timeout'],
  ['server that only sends signs of life', { fault: { type: 'ping-only', everyMs: 10 } }, 'timeout'],
  ['stream without anything', { rawChunks: [], endMark: false }, 'malformed-stream'],
  [
    'stream that stops within a call',
    { toolCalls: [{ name: 'f', arguments: ['{"a":'] }], finishReason: null, endMark: false },
    'malformed-stream',
  ],
  [
    'error object in the stream',
    {
      text: ['a'],
      fault: { type: 'error-object', afterChunks: 1, error: { message: 'Provider overloaded', code: 503 } },
    },
    'overloaded',
  ],
  ['error in place of a finish reason', { text: ['a'], finishReason: 'error' }, 'server'],
]
for (const [what, script, code] of broken) {
  test(`a ${what} fails as ${code}, which may be tried again`, async () => {
    const limits = code === 'timeout' ? { silenceMs: 100, progressMs: 100 } : {}
    await using setup = await setUp([script], { limits })
    await assert.rejects(setup.ask(), { name: 'ModelError', code, isTransient: true })
  })
}

test('text that came before a stream broke has been given', async () => {
  await using setup = await setUp([{ text: ['one ', 'two '], fault: { type: 'drop', afterChunks: 3 } }])
  const texts: string[] = []
  const reading = (async () => {
    for await (const event of setup.provider.stream(asking(), never)) {
      if (event.type === 'text-delta') texts.push(event.text)
    }
  })()
  await assert.rejects(reading, { code: 'network' })
  assert.deepEqual(texts, ['one ', 'two '])
})

test('text that came together with an error has been given too', async () => {
  const chunk = { choices: [{ delta: { content: 'one' } }] }
  const body = `data: ${JSON.stringify(chunk)}\n\ndata: {"error":{"message":"overloaded"}}\n\n`
  const headers = { 'content-type': 'text/event-stream' }
  await using setup = await setUp([{ fault: { type: 'http', status: 200, body, headers } }])
  const texts: string[] = []
  const reading = (async () => {
    for await (const event of setup.provider.stream(asking(), never)) {
      if (event.type === 'text-delta') texts.push(event.text)
    }
  })()
  await assert.rejects(reading, { code: 'overloaded' })
  assert.deepEqual(texts, ['one'])
})

test('slow tokens are no stall', async () => {
  await using setup = await setUp([{ text: 'one two three four five six', chunkDelayMs: 350 }], {
    limits: { silenceMs: 2_000, progressMs: 2_000 },
  })
  assert.equal((await setup.ask()).message.content, 'one two three four five six')
})

test('an abort in the middle throws its reason and ends the call at the server', async () => {
  await using setup = await setUp([{ text: ['one ', 'two '], fault: { type: 'stall', afterChunks: 2 } }])
  const abort = new AbortController()
  const reason = new Error('enough')
  const reading = (async () => {
    for await (const event of setup.provider.stream(asking(), abort.signal)) {
      if (event.type === 'text-delta') abort.abort(reason)
    }
  })()
  await assert.rejects(reading, (error) => error === reason)
  await setup.server.ended(0)
  assert.equal(setup.server.requests[0]?.hungUp, true)
})

test('a chunk with fields of unexpected types is read as far as it can be', async () => {
  const rawChunks = [
    {
      choices: [{ delta: { role: 7, content: 'Hi', reasoning: false, tool_calls: 'x' }, finish_reason: 3 }],
      usage: 'many',
    },
    { choices: 'none' },
    {
      choices: [
        {
          delta: {
            content: [
              { type: 'text', text: ' you' },
              { type: 'thinking', thinking: 'hm' },
            ],
          },
        },
      ],
    },
    { choices: [{ delta: null, finish_reason: 'stop' }] },
  ]
  await using setup = await setUp([{ rawChunks }])
  const { message } = await setup.ask()
  assert.equal(message.content, 'Hi you')
  assert.equal(message.reasoning, 'hm')
})

test('broken arguments of an earlier call are sent as they are, and wrapped for servers that refuse them', async () => {
  const answer: AssistantMessage = {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'a', name: 'read_file', arguments: '{"path": ' }],
  }
  await using lenient = await setUp([{ text: 'ok' }])
  await lenient.ask({ messages: conversation(answer) })
  assert.equal(sentAssistant(lenient.server)?.tool_calls?.[0]?.function.arguments, '{"path": ')

  await using strict = await setUp([{}, { text: 'ok' }, { text: 'ok' }], { strictArguments: true })
  await strict.ask({ messages: conversation(answer) })
  assert.deepEqual(JSON.parse(sentAssistant(strict.server)?.tool_calls?.[0]?.function.arguments ?? ''), {
    not_valid_json: '{"path": ',
  })
  await strict.ask({ messages: conversation(answer) })
  assert.equal(strict.server.requests.length, 3, 'the server’s way is remembered')
})

test('reasoning whose signature is refused is left out of a second try', async () => {
  const message = 'messages.1: Invalid `signature` in `thinking` block'
  await using setup = await setUp([{ fault: { type: 'http', status: 400, message } }, { text: 'ok' }], {
    dialect: details,
  })
  const answer: AssistantMessage = { role: 'assistant', content: 'x', toolCalls: [], reasoningDetails: [{ type: 'a' }] }
  await setup.ask({ messages: conversation(answer) })
  const sent = setup.server.requests.map((request) => request.body.messages?.[1]?.['reasoning_details'])
  assert.deepEqual(sent, [[{ type: 'a' }], undefined])
})

test('models are listed with their windows', async () => {
  const models = [
    'plain',
    {
      id: 'openrouter',
      context_length: 200_000,
      top_provider: { context_length: 180_000, max_completion_tokens: 8000 },
    },
    { id: 'vllm', max_model_len: 32_768 },
    { id: 'llamacpp', meta: { n_ctx_train: 131_072, n_ctx: 8192 } },
    { id: 'odd', context_length: 'many' },
  ]
  await using setup = await setUp([], { models })
  assert.deepEqual(await setup.provider.models?.(never), [
    { id: 'plain' },
    { id: 'openrouter', contextLength: 180_000, maxOutputTokens: 8000 },
    { id: 'vllm', contextLength: 32_768 },
    { id: 'llamacpp', contextLength: 8192 },
    { id: 'odd' },
  ])
})

function conversation(answer: AssistantMessage): readonly TranscriptMessage[] {
  const results = answer.toolCalls.map((call): TranscriptMessage => ({
    role: 'tool',
    toolCallId: call.id,
    toolName: call.name,
    content: 'done',
  }))
  const last: TranscriptMessage[] = results.length > 0 ? results : [{ role: 'user', content: 'go on' }]
  return [{ role: 'user', content: 'hello' }, answer, ...last]
}

/** The assistant's message in the last request. */
function sentAssistant({ requests }: ScriptedModel) {
  return requests.at(-1)?.body.messages?.find((message) => message.role === 'assistant')
}

test('reasoning and calls that a server leaves in the text are told apart, and never shown as marks', async () => {
  const text = `<think>I should look.</think>\nReading.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>`
  await using setup = await setUp([{ text, pieceBytes: 3 }, { text }])
  const { message, finish, events } = await setup.ask({ tools: [readFile] })
  assert.equal(message.content.trim(), 'Reading.')
  assert.equal(message.reasoning, 'I should look.')
  assert.deepEqual(
    message.toolCalls.map((call) => [call.name, call.arguments]),
    [['read_file', '{"path":"a"}']],
  )
  assert.equal(finish, 'tool_calls')
  assert.ok(events.some((event) => event.type === 'tool-call-start'))
  const withoutTools = await setup.ask()
  assert.match(withoutTools.message.content, /<tool_call>/, 'without tools it is text')
})

test('calls in the text count only when the server found none itself', async () => {
  const text = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>'
  await using setup = await setUp([{ text, toolCalls: [{ id: 'x', name: 'read_file', arguments: '{"path":"a"}' }] }])
  const { message } = await setup.ask({ tools: [readFile] })
  assert.deepEqual(message.toolCalls, [{ id: 'x', name: 'read_file', arguments: '{"path":"a"}' }])
})
