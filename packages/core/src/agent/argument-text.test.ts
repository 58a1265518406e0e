import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseArguments } from './argument-text.ts'

test('every JSON object is read as it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
      const expected: unknown = JSON.parse(JSON.stringify(value))
      assert.deepEqual(await parseArguments(JSON.stringify(value)), { ok: true, value: expected })
    }),
  )
})

test('a blank text means no arguments', async () => {
  assert.deepEqual(await parseArguments('  '), { ok: true, value: {} })
})

for (const [slip, value] of [
  ["{'path': 'a.txt'}", { path: 'a.txt' }],
  ['{"path": "a.txt",}', { path: 'a.txt' }],
  ['{path: "a.txt"}', { path: 'a.txt' }],
  ['"{\\"path\\": \\"a.txt\\"}"', { path: 'a.txt' }],
] as const) {
  test(`the slip ${slip} is repaired`, async () => {
    assert.deepEqual(await parseArguments(slip), { ok: true, value })
  })
}

test('an object that ends anywhere before its end is never taken for whole', async () => {
  const whole = JSON.stringify({ path: 'a.txt', content: 'line {1}\n"two"', deep: { list: [1, 2, { x: true }] } })
  for (let length = 1; length < whole.length; length++) {
    const parsed = await parseArguments(whole.slice(0, length))
    assert.equal(parsed.ok, false, whole.slice(0, length))
  }
})

test('what is no object is refused with the reason', async () => {
  for (const text of ['[1]', '5', 'null', '"text"', 'read the file {please}']) {
    assert.equal((await parseArguments(text)).ok, false, text)
  }
})
