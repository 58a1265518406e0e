import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRedactor } from '../security/redact.ts'
import { createOutputProgress } from './tool-output.ts'

const redactor = createRedactor({ enabled: true, known: [{ name: 'WORD', value: 'hunter2-hunter2' }] })

/** Pushes pieces, lets `ms` of time pass after each, and gives what was shown. */
function shownOf(pieces: readonly string[], t: import('node:test').TestContext, ms = 200): string[] {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const shown: string[] = []
  const progress = createOutputProgress(redactor, (text) => shown.push(text))
  for (const piece of pieces) {
    progress.push(piece)
    t.mock.timers.tick(ms)
  }
  progress.stop()
  return shown
}

test('whole lines are shown, a little later', (t) => {
  assert.deepEqual(shownOf(['one\ntw', 'o\nthree'], t), ['one\n', 'two\n'])
})

test('a command that is quick shows nothing', (t) => {
  assert.deepEqual(shownOf(['one\n', 'two\n'], t, 10), [])
})

test('a secret is hidden also where it comes in pieces', (t) => {
  const shown = shownOf(['pass hunter2-', 'hunter2 ok\n', 'more\n'], t).join('')
  assert.ok(!shown.includes('hunter2') && shown.includes('«secret:WORD»'))
})

test('a key of several lines is hidden', (t) => {
  const key = [
    '-----BEGIN PRIVATE KEY-----',
    ...Array.from({ length: 5 }, () => 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj'),
    '-----END PRIVATE KEY-----',
  ]
  const shown = shownOf(
    [...key, 'after', 'last'].map((line) => `${line}\n`),
    t,
  ).join('')
  assert.ok(!shown.includes('MIIEvQ') && shown.includes('after'))
})

test('of a flood only the end, and then the amount, is shown', (t) => {
  const shown = shownOf(['x\n'.repeat(50_000), 'y\n'.repeat(500_000)], t)
  assert.equal(shown[0]?.length, 2000)
  assert.equal(shown.at(-1), '… 1100000 characters of output\n')
})
