import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { WrittenOnce, jsonBytes } from './json-text.ts'

test('the bytes are the JSON of the fields in their order, whatever of it was written before', () => {
  const body = fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: 'grapheme' }))
  fc.assert(
    fc.property(body, fc.func(fc.boolean()), (fields, isWritten) => {
      const given = Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name, isWritten(name) ? new WrittenOnce(value) : value]),
      )
      assert.equal(jsonBytes(given).toString(), JSON.stringify(fields))
    }),
    { seed: 5 },
  )
})

test('items of a list that were written before stand in their places', () => {
  const list = fc.array(fc.tuple(fc.jsonValue({ stringUnit: 'grapheme' }), fc.boolean()))
  fc.assert(
    fc.property(list, (items) => {
      const given = items.map(([value, isWritten]) => (isWritten ? new WrittenOnce(value) : value))
      assert.equal(
        jsonBytes({ given, end: 1 }).toString(),
        JSON.stringify({ given: items.map(([value]) => value), end: 1 }),
      )
    }),
    { seed: 5 },
  )
})

test('half a character is written as what stands for one that is unknown', () => {
  const half = 'a\ud83d b'
  for (const text of [half, new WrittenOnce(half)]) {
    assert.equal(jsonBytes({ text, left: undefined }).toString(), '{"text":"a\ufffd b"}')
  }
})
