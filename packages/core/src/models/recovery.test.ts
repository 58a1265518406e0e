import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ModelError } from './model-error.ts'
import type { ModelErrorCode } from './model-error.ts'
import { recoveryOf } from './recovery.ts'

/** What is done about the first four failures in a row: without another model, and with one. */
const policies: Readonly<Record<ModelErrorCode, readonly [alone: string, withNext: string]>> = {
  'rate-limited': ['wait wait wait stop', 'fall-back fall-back fall-back fall-back'],
  overloaded: ['wait wait wait stop', 'wait wait wait fall-back'],
  server: ['wait wait wait stop', 'wait wait wait fall-back'],
  network: ['wait wait wait stop', 'wait wait wait fall-back'],
  timeout: ['wait wait wait stop', 'wait wait wait fall-back'],
  'malformed-stream': ['wait wait wait stop', 'wait wait wait fall-back'],
  auth: ['stop stop stop stop', 'fall-back fall-back fall-back fall-back'],
  payment: ['stop stop stop stop', 'fall-back fall-back fall-back fall-back'],
  'model-not-found': ['stop stop stop stop', 'fall-back fall-back fall-back fall-back'],
  'invalid-request': ['stop stop stop stop', 'fall-back fall-back fall-back fall-back'],
  'not-configured': ['stop stop stop stop', 'fall-back fall-back fall-back fall-back'],
  'context-overflow': ['stop stop stop stop', 'stop stop stop stop'],
  'payload-too-large': ['stop stop stop stop', 'stop stop stop stop'],
  'content-filter': ['stop stop stop stop', 'stop stop stop stop'],
}

const plain = { maxOutputTokens: undefined, hasShrunk: false }

for (const [code, [alone, withNext]] of Object.entries(policies) as [ModelErrorCode, readonly [string, string]][]) {
  test(`${code} is met with ${alone}; with another model, ${withNext}`, () => {
    for (const [hasFallback, expected] of [
      [false, alone],
      [true, withNext],
    ] as const) {
      const types = [1, 2, 3, 4].map(
        (failures) => recoveryOf(new ModelError(code, 'x'), { ...plain, failures, hasFallback }).type,
      )
      assert.equal(types.join(' '), expected)
    }
  })
}

test('what is asked to wait for longer than people do is not waited for', () => {
  for (const code of ['rate-limited', 'overloaded'] as const) {
    const failure = new ModelError(code, 'x', { retryAfterMs: 120_001 })
    assert.equal(recoveryOf(failure, { ...plain, failures: 1, hasFallback: false }).type, 'stop')
    assert.equal(recoveryOf(failure, { ...plain, failures: 1, hasFallback: true }).type, 'fall-back')
  }
})

test('a shorter answer is asked for once, and only where it is shorter', () => {
  const failure = new ModelError('payment', 'x', { outputRoom: 1000 })
  const asked = { failures: 1, hasFallback: true, hasShrunk: false }
  assert.deepEqual(recoveryOf(failure, { ...asked, maxOutputTokens: 5000 }), { type: 'shrink', maxOutputTokens: 1000 })
  assert.equal(recoveryOf(failure, { ...asked, maxOutputTokens: undefined }).type, 'shrink')
  assert.equal(recoveryOf(failure, { ...asked, maxOutputTokens: 900 }).type, 'fall-back')
  assert.equal(recoveryOf(failure, { ...asked, maxOutputTokens: 5000, hasShrunk: true }).type, 'fall-back')
})
