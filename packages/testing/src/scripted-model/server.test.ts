import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestBody, ScriptedAnswer } from './answer.ts'
import { startScriptedModel } from './server.ts'
import type { ScriptedModel } from './server.ts'

const hello: RequestBody = {
  model: 'm',
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: 'user', content: 'hello' }],
}

async function post(server: ScriptedModel, body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer secret' },
    body: JSON.stringify(body),
    signal,
  })
}

interface Delta {
  content?: string
  reasoning_content?: string
  tool_calls?: { index?: number; id?: string; function: { name?: string; arguments?: string } }[]
}

interface Chunk {
  choices: { delta: Delta; finish_reason: string | null }[]
  usage?: unknown
}

/** What a stream's frames hold; the end mark is left out. */
async function chunksOf(response: Response): Promise<Chunk[]> {
  return (await response.text())
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: ') && frame !== 'data: [DONE]')
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as Chunk)
}

test('a streamed answer holds reasoning, text, finish reason, usage and the end mark in that order', async () => {
  await using server = await startScriptedModel([{ reasoning: 'hmm ok', text: 'Hello there, you' }])
  const response = await post(server, hello)
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/)
  const text = await response.text()
  assert.ok(text.endsWith('data: [DONE]\n\n'))
  const chunks = await chunksOf(new Response(text))
  const deltas = chunks.flatMap((chunk) => chunk.choices.map((choice) => choice.delta))
  assert.equal(deltas.map((delta) => delta.reasoning_content ?? '').join(''), 'hmm ok')
  assert.equal(deltas.map((delta) => delta.content ?? '').join(''), 'Hello there, you')
  assert.ok(deltas.filter((delta) => delta.content).length >= 3)
  assert.equal(chunks.at(-2)?.choices[0]?.finish_reason, 'stop')
  assert.deepEqual(chunks.at(-1)?.usage, { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 })
})

test('parallel calls interleave, and their argument pieces add up to what the script says', async () => {
  const toolCalls = [
    { name: 'a', arguments: ['{"x', '":1}'] },
    { name: 'b', arguments: { y: [1, 2] } },
  ]
  await using server = await startScriptedModel([{ toolCalls, interleaved: true }])
  const calls = (await chunksOf(await post(server, hello))).flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
  const order = calls.map((call) => call.index)
  assert.deepEqual(order.slice(0, 4), [0, 1, 0, 1])
  const joined = [0, 1].map((index) =>
    calls
      .filter((call) => call.index === index)
      .map((call) => call.function.arguments ?? '')
      .join(''),
  )
  assert.deepEqual(joined, ['{"x":1}', '{"y":[1,2]}'])
})

test('without streaming the answer is one body', async () => {
  await using server = await startScriptedModel([{ text: 'Hi', toolCalls: [{ name: 'a' }] }])
  const response = await post(server, { ...hello, stream: false })
  const body = (await response.json()) as { choices: { message: { content: string }; finish_reason: string }[] }
  assert.equal(body.choices[0]?.message.content, 'Hi')
  assert.equal(body.choices[0]?.finish_reason, 'tool_calls')
})

test('requests are recorded with body, headers and times', async () => {
  await using server = await startScriptedModel((request, n) => ({ text: `${n}:${request.body.model}` }))
  await (await post(server, hello)).text()
  await (await post(server, hello)).text()
  await server.ended(1)
  const [first, second] = server.requests
  assert.deepEqual(first?.body, hello)
  assert.equal(first?.headers['authorization'], 'Bearer secret')
  assert.ok(first?.endedAtNs && second && first.arrivedAtNs < first.endedAtNs)
  assert.ok(first.endedAtNs < second.arrivedAtNs)
})

const malformed: readonly [string, unknown, RegExp][] = [
  ['no messages', { model: 'm', messages: [] }, /messages/],
  ['a system message in the middle', said('user:a', 'system:b'), /must come first/],
  ['two user messages in a row', said('user:a', 'user:b'), /two user messages/],
  ['an answer as the last message', said('user:a', 'assistant:b'), /last message/],
  [
    'a call without a result',
    { ...hello, messages: [user('a'), calling('1'), user('b')] },
    /calls without a result: 1/,
  ],
  ['a result without a call', { ...hello, messages: [user('a'), result('1')] }, /no open call 1/],
  ['two results', { ...hello, messages: [user('a'), calling('1'), result('1'), result('1')] }, /no open call 1/],
  ['a call id used twice', { ...hello, messages: [user('a'), calling('1', '1'), result('1')] }, /used twice/],
]
for (const [what, body, reason] of malformed) {
  test(`a transcript with ${what} is refused with the reason`, async () => {
    await using server = await startScriptedModel([{ text: 'never' }])
    const response = await post(server, body)
    assert.equal(response.status, 400)
    assert.match(((await response.json()) as { error: { message: string } }).error.message, reason)
    assert.match(server.requests[0]?.problem ?? '', reason)
  })
}

test('a transcript of calls and results in order is accepted', async () => {
  await using server = await startScriptedModel([{ text: 'fine' }])
  const messages = [{ role: 'system', content: 's' }, user('a'), calling('1', '2'), result('2'), result('1')]
  assert.equal((await post(server, { ...hello, messages })).status, 200)
})

test('arguments that are no JSON are refused only when asked to', async () => {
  const messages = [user('a'), calling('1'), result('1')]
  const script: ScriptedAnswer[] = [{ text: 'fine' }]
  await using lenient = await startScriptedModel(script)
  await using strict = await startScriptedModel(script, { strictArguments: true })
  messages[1] = { ...calling('1'), tool_calls: [{ ...call('1'), function: { name: 'f', arguments: '{"a":' } }] }
  assert.equal((await post(lenient, { ...hello, messages })).status, 200)
  assert.equal((await post(strict, { ...hello, messages })).status, 400)
})

test('an HTTP fault has its status, headers and body', async () => {
  const fault = { type: 'http', status: 429, headers: { 'retry-after': '7' }, message: 'slow down' } as const
  await using server = await startScriptedModel([{ fault }])
  const response = await post(server, hello)
  assert.equal(response.status, 429)
  assert.equal(response.headers.get('retry-after'), '7')
  assert.equal(((await response.json()) as { error: { message: string } }).error.message, 'slow down')
})

test('a dropped stream breaks the connection after whole chunks', async () => {
  await using server = await startScriptedModel([{ text: ['a', 'b', 'c'], fault: { type: 'drop', afterChunks: 2 } }])
  const response = await post(server, hello)
  await assert.rejects(response.text(), /terminated|reset|aborted/)
})

test('a stalled stream stays open until the client goes, which is recorded', async () => {
  await using server = await startScriptedModel([{ text: ['a', 'b'], fault: { type: 'stall', afterChunks: 1 } }])
  const abort = new AbortController()
  const response = await post(server, hello, abort.signal)
  const reader = response.body?.getReader()
  await reader?.read()
  abort.abort()
  await server.ended(0)
  assert.equal(server.requests[0]?.hungUp, true)
})

test('an error object ends the stream without an end mark', async () => {
  const fault = { type: 'error-object', afterChunks: 2, error: { message: 'overloaded', code: 502 } } as const
  await using server = await startScriptedModel([{ text: ['a', 'b'], fault }])
  const text = await (await post(server, hello)).text()
  assert.match(text, /"error":\{"message":"overloaded"/)
  assert.doesNotMatch(text, /DONE/)
})

test('a script that is over says so, one that repeats begins again', async () => {
  await using once = await startScriptedModel([{ text: 'a' }])
  await using again = await startScriptedModel([{ text: 'a' }], { repeat: true })
  for (const [server, status] of [
    [once, 400],
    [again, 200],
  ] as const) {
    await (await post(server, hello)).text()
    assert.equal((await post(server, hello)).status, status)
  }
})

test('another key than the expected one is answered 401', async () => {
  await using server = await startScriptedModel([{ text: 'a' }], { apiKey: 'other' })
  assert.equal((await post(server, hello)).status, 401)
})

test('the models are listed', async () => {
  await using server = await startScriptedModel([], { models: ['a', { id: 'b', context_length: 5 }] })
  const body = (await (await fetch(`${server.url}/models`)).json()) as { data: { id: string }[] }
  assert.deepEqual(
    body.data.map((model) => model.id),
    ['a', 'b'],
  )
  assert.equal(server.modelListings, 1)
})

function said(...lines: readonly string[]): unknown {
  const messages = lines.map((line) => ({ role: line.split(':')[0], content: line.split(':')[1] }))
  return { ...hello, messages }
}

function user(content: string): Record<string, unknown> {
  return { role: 'user', content }
}

function call(id: string): Record<string, unknown> {
  return { id, type: 'function', function: { name: 'f', arguments: '{}' } }
}

function calling(...ids: readonly string[]): Record<string, unknown> {
  return { role: 'assistant', content: null, tool_calls: ids.map(call) }
}

function result(id: string): Record<string, unknown> {
  return { role: 'tool', tool_call_id: id, content: 'done' }
}
