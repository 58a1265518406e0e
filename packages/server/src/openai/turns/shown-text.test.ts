import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createShownText } from './shown-text.ts'

const end = { type: 'answer-end', text: '', toolCalls: 0 } as const

test('an answer that begins anew with the same words is shown once, however it is cut', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 30 }),
      fc.nat(30),
      fc.array(fc.nat(5), { maxLength: 8 }),
      (text, broken, sizes) => {
        const shown = createShownText()
        let seen = shown.push({ type: 'text-delta', text: text.slice(0, broken) })
        seen += shown.push({ type: 'answer-reset' })
        let rest = text
        for (const size of [...sizes, text.length]) {
          seen += shown.push({ type: 'text-delta', text: rest.slice(0, size) })
          rest = rest.slice(size)
        }
        assert.equal(seen, text)
        assert.equal(shown.text, text)
      },
    ),
    { seed: 6 },
  )
})

test('one that begins anew with other words is shown below, and answers stand apart', () => {
  const shown = createShownText()
  const say = (text: string) => shown.push({ type: 'text-delta', text })
  const seen = [say('It is ra'), shown.push({ type: 'answer-reset' }), say('It is '), say('sunny.'), shown.push(end)]
  seen.push(say('And warm.'))
  assert.equal(seen.join(''), 'It is ra\n\nIt is sunny.\n\nAnd warm.')
})
