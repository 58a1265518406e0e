import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fault, ScriptedAnswer } from '@hermes/testing'
import { startTestWire, usualSpeech } from '@hermes/testing/test-wire.ts'
import type { TestWire } from '@hermes/testing/test-wire.ts'
import type { ModelErrorCode } from '../models/model-error.ts'
import { ModelError } from '../models/model-error.ts'
import type { ResolvedModel } from '../models/model.ts'
import type { Speech } from '../models/speech.ts'
import type { TurnEvent } from './events.ts'
import { AnswerError, getAnswer } from './model-answer.ts'
import type { SpentCall } from './model-answer.ts'

/** Only what is silent is given up soon: the machine may be busy. */
const impatience = { silenceMs: 2_500, progressMs: 2_500 }
const patience = { connectMs: 20_000, silenceMs: 20_000, progressMs: 20_000, totalMs: 40_000 }

const isSilent = ({ type }: Fault): boolean => type === 'stall' || type === 'ping-only'

function modelAt({ provider }: TestWire): ResolvedModel {
  return { provider, model: 'm', contextLength: 100_000 }
}

/** What people are told, and how it ends: `rate-limited > answered (2)`. The number counts the calls. */
async function outcomeOf(fault: Fault, speech: Speech, withFallback: boolean): Promise<string> {
  const isOnce = !withFallback
  const script = (_request: unknown, n: number): ScriptedAnswer =>
    isOnce && n > 0 ? { text: 'ok' } : { text: ['a', 'b', 'c', 'd'], fault }
  const limits = { ...patience, ...(isSilent(fault) && impatience) }
  await using first = await startTestWire(speech, script, { limits })
  await using second = await startTestWire(speech, () => ({ text: 'from the next one' }), { limits })
  const next = modelAt(second)
  const model: ResolvedModel = { ...modelAt(first), ...(withFallback && { fallback: async () => next }) }
  const spent: SpentCall[] = []
  const told: string[] = []
  let shown = ''
  const emit = (event: TurnEvent): undefined => {
    if (event.type === 'notice') told.push(event.code)
    if (event.type === 'text-delta') shown += event.text
    if (event.type === 'answer-reset') shown = ''
  }
  const spend = async (call: SpentCall): Promise<void> => void spent.push(call)
  const request = {
    model: 'm',
    messages: [{ role: 'user' as const, content: 'hi' }],
    tools: [],
    maxOutputTokens: 9000,
  }
  const calls = (): string => `(${first.server.requests.length})`
  try {
    const answer = await getAnswer(model, request, { emit, spend }, AbortSignal.timeout(60_000))
    assert.equal(shown, answer.message.content, 'what is shown is what was answered')
    assert.deepEqual(
      spent.map((call) => [call.model, call.usage]),
      [[answer.model, answer.usage]],
      'what answered is counted once, and nothing else',
    )
    const who = answer.model === next ? 'next model' : 'answered'
    const shrunk = first.server.requests.at(-1)?.body
    const asked = JSON.stringify(shrunk).includes('1234') ? ' in 1234 tokens' : ''
    return [...told, `${who}${asked} ${calls()}`].join(' > ')
  } catch (error) {
    assert.ok(error instanceof AnswerError, String(error))
    assert.deepEqual(spent, [])
    assert.ok(error.cause instanceof ModelError, String(error.cause))
    assert.match(error.cause.message, /[.!)]$/, 'a whole sentence')
    return [...told, `stopped: ${error.cause.code} ${calls()}`].join(' > ')
  }
}

const http = (status: number, message: string, headers: Record<string, string> = {}): Fault => ({
  type: 'http',
  status,
  message,
  headers,
})
const soon = { 'retry-after-ms': '5' }

interface Row {
  readonly class: ModelErrorCode
  readonly what: string
  readonly fault: Fault
  /** Without another model, when it happens once. */
  readonly alone: string
  /** With another one, when it does not end. Undefined: four attempts take too long for a test; see `recovery.test.ts`. */
  readonly withNext?: string
}

const rows: readonly Row[] = [
  {
    class: 'rate-limited',
    what: '429',
    fault: http(429, 'slow down', soon),
    alone: 'rate-limited > answered (2)',
    withNext: 'fallback > next model (1)',
  },
  {
    class: 'rate-limited',
    what: '429 for an hour',
    fault: http(429, 'slow down', { 'retry-after': '3600' }),
    alone: 'stopped: rate-limited (1)',
    withNext: 'fallback > next model (1)',
  },
  // As if it had not said when: four at once would only be refused again.
  {
    class: 'rate-limited',
    what: '429 for no time',
    fault: http(429, 'x', { 'retry-after': '0' }),
    alone: 'rate-limited > answered (2)',
  },
  {
    class: 'rate-limited',
    what: '402 that passes',
    fault: http(402, 'usage limit reached, try again in 5 ms'),
    alone: 'rate-limited > answered (2)',
    withNext: 'fallback > next model (1)',
  },
  {
    class: 'auth',
    what: '401',
    fault: http(401, 'bad key'),
    alone: 'stopped: auth (1)',
    withNext: 'fallback > next model (1)',
  },
  {
    class: 'auth',
    what: '403',
    fault: http(403, 'forbidden'),
    alone: 'stopped: auth (1)',
    withNext: 'fallback > next model (1)',
  },
  {
    class: 'payment',
    what: '402',
    fault: http(402, 'no credit'),
    alone: 'stopped: payment (1)',
    withNext: 'fallback > next model (1)',
  },
  {
    class: 'payment',
    what: '402 with credit for a shorter answer',
    fault: http(
      402,
      'requires more credits, or fewer max_tokens. You requested up to 9000 tokens, but can only afford 1234',
    ),
    alone: 'payment > answered in 1234 tokens (2)',
    withNext: 'payment > fallback > next model in 1234 tokens (2)',
  },
  {
    class: 'context-overflow',
    what: '400',
    fault: http(400, 'prompt is too long'),
    alone: 'stopped: context-overflow (1)',
    withNext: 'stopped: context-overflow (1)',
  },
  {
    class: 'context-overflow',
    what: '400 with room for a shorter answer',
    fault: http(400, 'input length and `max_tokens` exceed context limit: 8702 + 9000 > 10000, decrease input length'),
    alone: 'context-overflow > answered in 1234 tokens (2)',
    withNext: 'context-overflow > stopped: context-overflow (2)',
  },
  {
    class: 'payload-too-large',
    what: '413',
    fault: http(413, 'too large'),
    alone: 'stopped: payload-too-large (1)',
    withNext: 'stopped: payload-too-large (1)',
  },
  {
    class: 'invalid-request',
    what: '400',
    fault: http(400, 'no such field'),
    alone: 'stopped: invalid-request (1)',
    withNext: 'fallback > next model (1)',
  },
  {
    class: 'model-not-found',
    what: '404',
    fault: http(404, 'no such model'),
    alone: 'stopped: model-not-found (1)',
    withNext: 'fallback > next model (1)',
  },
  {
    class: 'content-filter',
    what: '403',
    fault: http(403, 'flagged by moderation'),
    alone: 'stopped: content-filter (1)',
    withNext: 'stopped: content-filter (1)',
  },
  {
    class: 'server',
    what: '500',
    fault: http(500, 'oops', soon),
    alone: 'server > answered (2)',
    withNext: 'server > server > server > fallback > next model (4)',
  },
  {
    class: 'server',
    what: '502 as a page',
    fault: { type: 'http', status: 502, body: '<html>', headers: soon },
    alone: 'server > answered (2)',
    withNext: 'server > server > server > fallback > next model (4)',
  },
  {
    class: 'overloaded',
    what: '529',
    fault: http(529, 'busy', soon),
    alone: 'overloaded > answered (2)',
    withNext: 'overloaded > overloaded > overloaded > fallback > next model (4)',
  },
  {
    class: 'overloaded',
    what: '503',
    fault: http(503, 'busy', soon),
    alone: 'overloaded > answered (2)',
    withNext: 'overloaded > overloaded > overloaded > fallback > next model (4)',
  },
  {
    class: 'timeout',
    what: '504',
    fault: http(504, 'too slow', soon),
    alone: 'timeout > answered (2)',
    withNext: 'timeout > timeout > timeout > fallback > next model (4)',
  },
  { class: 'network', what: 'no answer', fault: { type: 'drop' }, alone: 'network > answered (2)' },
  {
    class: 'network',
    what: 'a stream that breaks',
    fault: { type: 'drop', afterChunks: 3 },
    alone: 'network > answered (2)',
  },
  { class: 'timeout', what: 'silence', fault: { type: 'stall' }, alone: 'timeout > answered (2)' },
  {
    class: 'timeout',
    what: 'a stream that stalls',
    fault: { type: 'stall', afterChunks: 3 },
    alone: 'timeout > answered (2)',
  },
  {
    class: 'timeout',
    what: 'signs of life alone',
    fault: { type: 'ping-only', everyMs: 100 },
    alone: 'timeout > answered (2)',
  },
  {
    class: 'malformed-stream',
    what: 'a broken frame',
    fault: { type: 'malformed-frame', afterChunks: 3 },
    alone: 'malformed-stream > answered (2)',
  },
  {
    class: 'server',
    what: 'an error inside the stream',
    fault: { type: 'error-object', afterChunks: 3, error: { type: 'internalServerException', message: 'it broke' } },
    alone: 'server > answered (2)',
  },
  {
    class: 'overloaded',
    what: 'an error inside the stream',
    fault: { type: 'error-object', afterChunks: 3, error: { type: 'overloaded_error', message: 'busy' } },
    alone: 'overloaded > answered (2)',
  },
  {
    class: 'context-overflow',
    what: 'an error inside the stream',
    fault: { type: 'error-object', afterChunks: 1, error: { type: 'context_length_exceeded', message: 'too long' } },
    alone: 'stopped: context-overflow (1)',
    withNext: 'stopped: context-overflow (1)',
  },
]

test('every class of failure is met in the same way on every wire', { timeout: 120_000 }, async () => {
  const cellsOf = (some: readonly Row[]) =>
    Promise.all(
      some.flatMap((row) =>
        Object.entries(usualSpeech).map(async ([wire, speech]) => {
          const name = `${row.class}, ${row.what}, ${wire}`
          const alone = await outcomeOf(row.fault, speech, false)
          const withNext = row.withNext === undefined ? undefined : await outcomeOf(row.fault, speech, true)
          return [name, { alone, ...(withNext !== undefined && { withNext }) }] as const
        }),
      ),
    )
  const loud = await cellsOf(rows.filter(({ fault }) => !isSilent(fault)))
  const silent = await cellsOf(rows.filter(({ fault }) => isSilent(fault)))
  const expected = rows.flatMap(({ class: code, what, alone, withNext }) =>
    Object.keys(usualSpeech).map(
      (wire) => [`${code}, ${what}, ${wire}`, { alone, ...(withNext !== undefined && { withNext }) }] as const,
    ),
  )
  assert.deepEqual(Object.fromEntries([...loud, ...silent]), Object.fromEntries(expected))
})

test('the table has every class but what is found before a call', () => {
  const met = new Set<string>(rows.map((row) => row.class))
  const classes: readonly ModelErrorCode[] = [
    'auth',
    'payment',
    'rate-limited',
    'overloaded',
    'server',
    'network',
    'timeout',
    'context-overflow',
    'payload-too-large',
    'invalid-request',
    'model-not-found',
    'content-filter',
    'malformed-stream',
  ]
  assert.deepEqual(
    classes.filter((one) => !met.has(one)),
    [],
  )
})
