import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOutputWatch } from './output-watch.ts'

function watched(...patterns: string[]) {
  let now = 0
  const watch = createOutputWatch(patterns, { now: () => now, timeZone: 'UTC' })
  return { push: (text: string) => watch.push(text), pass: (ms: number) => (now += ms) }
}

test('a match may come in pieces, and is told once', () => {
  const { push } = watched('ERROR')
  assert.equal(push('all is well\nER'), undefined)
  assert.deepEqual(push('ROR: disk'), { type: 'match', pattern: 'ERROR', output: 'ERROR: disk', suppressed: 0 })
  assert.equal(push(' is full\nfine\n'), undefined)
  assert.equal(push('ERROR again\n')?.type, 'match')
})

test('all matching lines of a piece come together, at most 20', () => {
  const { push } = watched('x')
  const found = push(Array.from({ length: 50 }, (_, n) => `x${n}\nno\n`).join(''))
  assert.equal(found?.type === 'match' && found.output, Array.from({ length: 20 }, (_, n) => `x${n}`).join('\n'))
})

test('more than 8 matches in 10 seconds are counted, not told', () => {
  const { push, pass } = watched('x')
  const told = Array.from({ length: 30 }, () => push('x\n')).filter((found) => found !== undefined)
  assert.equal(told.length, 8)
  pass(10_000)
  assert.deepEqual(push('x\n'), { type: 'match', pattern: 'x', output: 'x', suppressed: 22 })
})

test('the watch is switched off when matches are too many for 45 seconds', () => {
  const { push, pass } = watched('x')
  const found = []
  for (let second = 0; second < 70; second++) {
    for (let n = 0; n < 3; n++) found.push(push('x\n'))
    pass(1000)
  }
  const disabled = found.findIndex((finding) => finding?.type === 'disabled')
  assert.ok(disabled > 45 * 3 && disabled < 60 * 3)
  assert.ok(found.slice(disabled + 1).every((finding) => finding === undefined))
})

test('a pause in the flood lets the watch go on', () => {
  const { push, pass } = watched('x')
  for (let round = 0; round < 20; round++) {
    const found = Array.from({ length: 12 }, () => push('x\n'))
    assert.ok(found.every((finding) => finding?.type !== 'disabled'))
    pass(10_000)
    assert.equal(push('x\n')?.type, 'match')
    pass(10_000)
  }
})
