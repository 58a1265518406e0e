import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { TranscriptMessage } from '../models/transcript.ts'
import { interruptedResult, missingResults, wellFormed } from './well-formed.ts'

const user = (content: string): TranscriptMessage => ({ role: 'user', content })
const said = (content: string, ...ids: string[]): TranscriptMessage => ({
  role: 'assistant',
  content,
  toolCalls: ids.map((id) => ({ id, name: 'terminal', arguments: '{}' })),
})
const result = (toolCallId: string, content = 'ok'): TranscriptMessage => ({
  role: 'tool',
  toolCallId,
  toolName: 'terminal',
  content,
})

/** Says what breaks the rules that every wire has, or nothing. */
function fault(messages: readonly TranscriptMessage[]): string | undefined {
  const open: string[] = []
  let previous = ''
  if (messages[0]?.role === 'assistant') return 'an answer comes first'
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.shift() !== message.toolCallId) return 'a result without its call, or out of order'
    } else {
      if (open.length > 0) return 'a call without its result'
      if (message.role === previous && message.role === 'user') return 'two user messages in a row'
      if (message.role === 'assistant') open.push(...message.toolCalls.map((call) => call.id))
    }
    previous = message.role
  }
  return open.length > 0 ? 'a call without its result at the end' : undefined
}

test('a well-formed history comes back as it was', () => {
  const history = [user('hi'), said('', 'a', 'b'), result('a'), result('b'), said('done'), user('more')]
  assert.deepEqual(wellFormed(history), history)
})

test('a call that was cut off by a crash gets a result that says the outcome is unknown', () => {
  const history = [user('hi'), said('', 'a', 'b'), result('a')]
  assert.deepEqual(missingResults(history), [result('b', interruptedResult)])
  assert.deepEqual(wellFormed(history), [...history, result('b', interruptedResult)])
})

test('results out of order or parted from their calls are brought back to them', () => {
  const history = [user('hi'), said('', 'a', 'b'), result('b', '2'), user('stop?'), result('a', '1'), said('ok')]
  assert.deepEqual(wellFormed(history), [
    user('hi'),
    said('', 'a', 'b'),
    result('a', '1'),
    result('b', '2'),
    user('stop?'),
    said('ok'),
  ])
})

test('an id that a server used twice pairs each call with its own result', () => {
  const history = [user('1'), said('', 'x'), result('x', 'first'), user('2'), said('', 'x'), result('x', 'second')]
  assert.deepEqual(wellFormed(history), history)
})

test('unanswered user messages are joined, a continued answer is one', () => {
  assert.deepEqual(wellFormed([user('a'), user('b'), said('one, '), said('two')]), [user('a\n\nb'), said('one, two')])
})

test('whatever was stored, in whatever order, becomes a transcript that every wire takes', () => {
  const ids = fc.constantFrom('a', 'b', 'c')
  const message = fc.oneof(
    fc.string().map(user),
    fc.tuple(fc.string(), fc.uniqueArray(ids, { maxLength: 3 })).map(([text, calls]) => said(text, ...calls)),
    ids.map((id) => result(id)),
  )
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (history) => {
      const fit = wellFormed(history)
      assert.equal(fault(fit), undefined)
      assert.deepEqual(wellFormed(fit), fit)
    }),
  )
})
