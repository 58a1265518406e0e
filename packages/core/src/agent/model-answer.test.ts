import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelEvent, ResolvedModel } from '../models/model.ts'
import { ModelError } from '../models/model-error.ts'
import { noUsage } from '../models/model.ts'
import { AnswerError, getAnswer } from './model-answer.ts'
import type { AnswerListener, SpentCall } from './model-answer.ts'

/** A model whose every answer is `events`, and how often it was asked. */
function modelSaying(events: () => AsyncIterable<ModelEvent>) {
  const asked = { times: 0 }
  const model: ResolvedModel = {
    model: 'm',
    contextLength: 1000,
    provider: {
      name: 'Endless',
      stream() {
        asked.times++
        return events()
      },
    },
  }
  return { model, asked }
}

const request = { model: 'm', messages: [], tools: [] }
const deaf: AnswerListener = { emit: () => undefined, spend: async () => {} }

for (const type of ['text-delta', 'reasoning-delta', 'tool-call'] as const) {
  test(`an answer that never ends is stopped, kept as far as it came and not asked for again: ${type}`, async () => {
    const piece = 'x'.repeat(1024 * 1024)
    const call = { id: 'c', name: 'terminal', arguments: piece }
    let isStopped = false
    const { model, asked } = modelSaying(async function* () {
      try {
        for (let i = 0; i < 1000; i++) yield type === 'tool-call' ? { type, call } : { type, text: piece }
      } finally {
        isStopped = true
      }
    })
    const failure: unknown = await getAnswer(model, request, deaf, AbortSignal.timeout(60_000)).catch(
      (error: unknown) => error,
    )
    assert.ok(failure instanceof AnswerError)
    assert.ok(failure.cause instanceof ModelError)
    assert.match(failure.cause.message, /^Endless did not end its answer after 16 million characters/)
    const { content, reasoning = '', toolCalls } = failure.partial
    assert.equal(content.length + reasoning.length + toolCalls.length * piece.length, 16 * piece.length)
    assert.ok(isStopped)
    assert.equal(asked.times, 1)
  })
}

test('a provider that asks for more patience than there is says when it can be asked again', async () => {
  const { model } = modelSaying(async function* () {
    yield* []
    throw new ModelError('rate-limited', 'Slow limits the rate of requests.', { retryAfterMs: 7_200_000 })
  })
  await assert.rejects(getAnswer(model, request, deaf, AbortSignal.timeout(60_000)), {
    message: 'Slow limits the rate of requests. Try again in 2h, or name other models in fallback_providers.',
  })
})

test('each call is counted for the model that answered it, also when it answered nothing and another one fails', async () => {
  const usage = { ...noUsage, inputTokens: 7 }
  const empty = modelSaying(async function* () {
    yield { type: 'finish', reason: 'stop', usage }
  })
  const next = modelSaying(async function* () {
    yield* []
    throw new ModelError('auth', 'No.')
  })
  const spent: SpentCall[] = []
  const listener: AnswerListener = { ...deaf, spend: async (call) => void spent.push(call) }
  const model = { ...empty.model, fallback: async () => next.model }
  await assert.rejects(getAnswer(model, request, listener, AbortSignal.timeout(60_000)), /^AnswerError: No\./)
  assert.deepEqual(
    spent.map((call) => [call.model === model, call.usage]),
    Array.from({ length: 3 }, () => [true, usage]),
  )
})
