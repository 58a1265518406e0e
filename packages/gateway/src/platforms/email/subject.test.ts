import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { answerSubject, isAnswer, isForward, plainSubject } from './subject.ts'

test('a subject gets one Re:, in whatever language it was answered', () => {
  for (const subject of [
    'Bridge',
    'Re: Bridge',
    'RE: AW: Sv: Bridge',
    'Re[2]: Re (3): Bridge',
    'Re：Bridge',
    '回复: Bridge',
    ' re:re:Bridge',
  ]) {
    assert.equal(answerSubject(subject), 'Re: Bridge', subject)
  }
  assert.equal(answerSubject('Regarding: Bridge'), 'Re: Regarding: Bridge')
  assert.equal(answerSubject('Fwd: Bridge'), 'Re: Fwd: Bridge')
  assert.equal(answerSubject(''), 'Re: your mail')
  assert.equal(answerSubject('a\r\nBcc: everybody@a.test'), 'Re: a Bcc: everybody@a.test')
  assert.deepEqual([isForward('Re: Fwd: x'), isForward('WG: x'), isForward('Forward: x')], [true, true, false])
  assert.deepEqual([isAnswer('Re: x'), isAnswer('Review: x')], [true, false])
})

test('answering an answer changes nothing, and a subject is one line', () => {
  const subject = fc.array(fc.oneof(fc.constantFrom('Re: ', 'AW:', 'Fwd: ', '\r\n', '\u2028'), fc.string()), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(subject, (parts) => {
      const once = answerSubject(parts.join(''))
      assert.equal(answerSubject(once), once)
      assert.ok(!/[\r\n\u2028\u2029]/.test(once) && once.length < 400)
      assert.equal(isAnswer(plainSubject(once)), false)
    }),
    { seed: 42 },
  )
})
