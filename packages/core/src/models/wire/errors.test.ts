import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectAnswer, startScriptedModel } from '@hermes/testing'
import type { Fault } from '@hermes/testing'
import { ModelError } from '../model-error.ts'
import type { ModelErrorCode } from '../model-error.ts'
import { fixedKey } from '../keys/keys.ts'
import { createHttpClient } from '../net/http-client.ts'
import { plainDialect } from '../openai-compatible/dialect.ts'
import { createOpenAiCompatible } from '../openai-compatible/index.ts'

const limits = { connectMs: 5000, silenceMs: 5000, progressMs: 5000, totalMs: 5000 }
const apiKey = 'sk-secret-0123456789abcdef'
const nowMs = Date.parse('2026-01-01T00:00:00Z')
const never = new AbortController().signal

async function failure(baseUrl: string, key: string | undefined = apiKey): Promise<ModelError> {
  const provider = createOpenAiCompatible({
    dialect: plainDialect,
    place: {
      name: 'test',
      label: 'Test server',
      baseUrl,
      keyHint: 'Set TEST_API_KEY in /home/ann/.hermes/.env.',
      isLocal: false,
      limits: () => limits,
    },
    keys: fixedKey(key),
    http: createHttpClient({}),
    now: () => nowMs,
  })
  const request = { model: 'the-model', messages: [{ role: 'user' as const, content: 'my secret text' }], tools: [] }
  try {
    await collectAnswer(provider.stream(request, never))
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error))
    return error
  }
  throw new Error('The call did not fail.')
}

type HttpFault = Omit<Extract<Fault, { type: 'http' }>, 'type'>

async function failureOf(fault: HttpFault): Promise<ModelError> {
  await using server = await startScriptedModel([{ fault: { type: 'http', ...fault } }])
  return await failure(server.url)
}

const openRouterError = (message: string, raw: unknown) => ({
  error: { message, code: 400, metadata: { provider_name: 'X', raw: JSON.stringify(raw) } },
})

const classes: readonly [string, HttpFault, ModelErrorCode, RegExp][] = [
  [
    'a refused key',
    { status: 401, message: 'Incorrect API key provided: sk-ab***yz.' },
    'auth',
    /refused the key.*TEST_API_KEY in \/home\/ann/,
  ],
  ['a forbidden call', { status: 403, message: 'Forbidden' }, 'auth', /refused the key/],
  ['missing credit', { status: 402, message: 'Insufficient credits' }, 'payment', /Add credit/],
  [
    'a quota that refills',
    { status: 402, message: 'Usage limit reached, try again in 5 minutes' },
    'rate-limited',
    /limits the rate/,
  ],
  [
    'a spent quota',
    { status: 429, errorCode: 'insufficient_quota', message: 'You exceeded your current quota' },
    'payment',
    /Add credit/,
  ],
  ['a spending limit', { status: 403, message: 'Key limit exceeded' }, 'payment', /Add credit/],
  [
    'a rate limit',
    { status: 429, message: 'Slow down' },
    'rate-limited',
    /limits the rate of requests \(HTTP 429\): Slow down/,
  ],
  [
    'an unknown model',
    { status: 404, message: 'The model `the-model` does not exist' },
    'model-not-found',
    /does not serve the-model/,
  ],
  [
    'an unknown model as a bad request',
    { status: 400, message: 'the-model is not a valid model ID' },
    'model-not-found',
    /Choose another model/,
  ],
  [
    'a wrong address',
    { status: 404, body: '<html>Not found</html>' },
    'model-not-found',
    /Check the base URL \(it often ends in \/v1\)/,
  ],
  [
    'too long a conversation',
    { status: 400, errorCode: 'context_length_exceeded', message: 'x' },
    'context-overflow',
    /too long for the-model/,
  ],
  [
    'too long in words',
    { status: 400, message: "This model's maximum context length is 8192 tokens" },
    'context-overflow',
    /too long/,
  ],
  [
    'too long for llama.cpp',
    {
      status: 400,
      body: {
        error: {
          code: 400,
          message: 'request (9000 tokens) exceeds the available context size (8192 tokens)',
          type: 'exceed_context_size_error',
        },
      },
    },
    'context-overflow',
    /too long/,
  ],
  [
    'too long behind OpenRouter',
    {
      status: 400,
      body: openRouterError('Provider returned error', { error: { message: 'prompt is too long: 210000 tokens' } }),
    },
    'context-overflow',
    /prompt is too long/,
  ],
  ['too large a body', { status: 413, body: 'too large' }, 'payload-too-large', /too large/],
  [
    'a refused content',
    { status: 400, errorCode: 'content_filter', message: 'filtered' },
    'content-filter',
    /Rephrase/,
  ],
  ['a flagged content', { status: 403, message: 'Input was flagged by moderation' }, 'content-filter', /Rephrase/],
  [
    'a bad request',
    { status: 400, message: 'Unknown parameter: foo' },
    'invalid-request',
    /does not take the request \(HTTP 400\): Unknown parameter: foo/,
  ],
  [
    'a bad request in FastAPI’s form',
    { status: 422, body: { detail: 'field required' } },
    'invalid-request',
    /field required/,
  ],
  ['an error as bare text', { status: 400, body: { error: 'no such thing' } }, 'invalid-request', /no such thing/],
  ['a broken server', { status: 500, message: 'Internal error' }, 'server', /failed \(HTTP 500\)/],
  ['a bad gateway', { status: 502, body: '<html>' }, 'server', /failed \(HTTP 502\)\.$/],
  ['an overloaded server', { status: 503, message: 'Overloaded' }, 'overloaded', /is overloaded/],
  ['Anthropic’s overload', { status: 529, message: 'Overloaded' }, 'overloaded', /is overloaded/],
  ['a gateway’s time-out', { status: 504, body: '' }, 'timeout', /HTTP 504/],
  [
    'an address that moved',
    { status: 308, headers: { location: 'https://new.example/v1' } },
    'not-configured',
    /moved to https:\/\/new\.example\/v1/,
  ],
  [
    'a web page for an answer',
    { status: 200, body: '<html>Sign in</html>' },
    'not-configured',
    /answers with a web page/,
  ],
  [
    'an error with status 200',
    { status: 200, body: { error: { message: 'No endpoints found for the-model', code: 404 } } },
    'model-not-found',
    /does not serve/,
  ],
]
for (const [what, fault, code, message] of classes) {
  test(`${what} (HTTP ${fault.status}) is ${code}`, async () => {
    const error = await failureOf(fault)
    assert.equal(error.code, code)
    assert.match(error.message, message)
  })
}

const waits: readonly [string, HttpFault, number | undefined][] = [
  ['seconds', { status: 429, headers: { 'retry-after': '7' } }, 7000],
  ['parts of a second', { status: 429, headers: { 'retry-after': '0.5' } }, 500],
  ['a date', { status: 503, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' } }, 30_000],
  ['a date that is over', { status: 503, headers: { 'retry-after': 'Wed, 31 Dec 2025 00:00:30 GMT' } }, 0],
  ['milliseconds', { status: 429, headers: { 'retry-after-ms': '1234', 'retry-after': '9' } }, 1234],
  [
    'OpenRouter’s reset',
    {
      status: 429,
      body: {
        error: { code: 429, message: 'x', metadata: { headers: { 'X-RateLimit-Reset': String(nowMs + 2500) } } },
      },
    },
    2500,
  ],
  ['nothing', { status: 429 }, undefined],
  ['nonsense', { status: 429, headers: { 'retry-after': 'soon' } }, undefined],
]
for (const [what, fault, expected] of waits) {
  test(`the wait that a server asks for may be ${what}`, async () => {
    assert.equal((await failureOf(fault)).retryAfterMs, expected)
  })
}

test('a server that wants a key where there is none says where to set it', async () => {
  await using server = await startScriptedModel([{ text: 'a' }], { apiKey: 'x' })
  const error = await failure(server.url, undefined)
  assert.equal(error.code, 'auth')
  assert.match(error.message, /Set TEST_API_KEY in \/home\/ann\/\.hermes\/\.env/)
})

test('neither the key nor anything like one is in a message, however the server repeats it', async () => {
  for (const message of [
    `Bad key ${apiKey}`,
    'Bad key sk-proj-abcdefghijklmnopqrstuvwxyz',
    'gsk_abcdefghijklmnopqrstuvw',
  ]) {
    const error = await failureOf({ status: 401, message })
    assert.doesNotMatch(error.message, /secret|abcdefghij/)
  }
})

test('long words of a server are cut to a line', async () => {
  const error = await failureOf({ status: 500, body: `Traceback:\n${'line\n'.repeat(5000)}` })
  assert.ok(error.message.length < 600)
  assert.doesNotMatch(error.message, /\n/)
})

test('a server that does not run is told as such', async () => {
  const server = await startScriptedModel([])
  await server.close()
  const error = await failure(server.url)
  assert.equal(error.code, 'network')
  assert.match(error.message, /^Test server: 127\.0\.0\.1:\d+ refuses connections/)
})

test('an address that is none is not tried again', async () => {
  const error = await failure('no address')
  assert.equal(error.code, 'not-configured')
  assert.equal(error.isTransient, false)
})

test('an error inside a stream is classed by its words where it has no status', async () => {
  const classesInStream: readonly [unknown, ModelErrorCode][] = [
    [{ message: 'Rate limit reached' }, 'rate-limited'],
    [{ message: 'upstream connect error' }, 'network'],
    [{ message: 'Upstream timed out' }, 'timeout'],
    [{ message: 'something' }, 'server'],
    [{ message: 'x', code: 'context_length_exceeded' }, 'context-overflow'],
    ['just text', 'server'],
  ]
  for (const [error, code] of classesInStream) {
    await using server = await startScriptedModel([
      { text: ['a'], fault: { type: 'error-object', afterChunks: 1, error } },
    ])
    assert.equal((await failure(server.url)).code, code, JSON.stringify(error))
  }
})

test('a model that is not there is told with those that look like it, where the server lists them', async () => {
  const answer = { fault: { type: 'http', status: 404, message: 'No such model: the-mode' } } as const
  for (const [models, expected] of [
    [['another', 'the-mode1', 'The-Model'], /Did you mean The-Model or the-mode1\?$/],
    [['another'], /Choose another model \(hermes model, \/model, -m\)\.$/],
  ] as const) {
    await using server = await startScriptedModel([answer], { models })
    assert.match((await failure(server.url)).message, expected)
    assert.equal(server.modelListings, 1)
  }
})

for (const [what, fault, expected] of [
  [
    'a request that is refused',
    { status: 400, message: 'Unknown field' },
    /Use another model .* settings under model\.$/,
  ],
  ['a conversation that is too long', { status: 400, message: 'prompt is too long' }, /Begin a new one \(\/new\)/],
  ['a request that is too large', { status: 413, message: 'too large' }, /Attach less, or begin a new conversation/],
] as const) {
  test(`what to do next is told of ${what}`, async () => {
    assert.match((await failureOf(fault)).message, expected)
  })
}
