import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { isDeeperThan } from './json-depth.ts'

/** Levels, counted another way: by the brackets of the text outside strings. */
function levels(json: string): number {
  let [open, most] = [0, 0]
  for (const sign of json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')) {
    if (sign === '[' || sign === '{') most = Math.max(most, ++open)
    if (sign === ']' || sign === '}') open--
  }
  return most
}

test('a value is as deep as the brackets in its text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(9), (value, most) => {
      assert.equal(isDeeperThan(value, most), levels(JSON.stringify(value)) > most)
    }),
  )
})

test('the deepest value is told without running out of stack', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)
  assert.ok(isDeeperThan(deep, 100))
  assert.ok(isDeeperThan({ fields: [deep] }, 100))
})
