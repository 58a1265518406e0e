import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { withoutEntry } from './without-entry.ts'

/** Texts that the same value may be written as. */
const space = fc.constantFrom('', ' ', '\n', '\t ', '\r\n  ')
const entry = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 2))
  .map(([value, indent]) => JSON.stringify(value, null, indent))
const list = fc.array(fc.tuple(space, entry, space), { minLength: 1, maxLength: 6 }).map((entries) => ({
  entries: entries.map(([, text]) => text),
  text: `[${entries.map((one) => one.join('')).join(',')}]`,
}))

test('of a list an entry goes, and all others stay as they are written', () => {
  fc.assert(
    fc.property(list, fc.nat(), ({ entries, text }, any) => {
      const place = any % entries.length
      const left = withoutEntry(text, place)
      assert.deepEqual(
        JSON.parse(left),
        entries.filter((_, at) => at !== place).map((one): unknown => JSON.parse(one)),
      )
      assert.ok(entries.every((one, at) => at === place || left.includes(one)))
    }),
  )
})

test('so it does of a file, whose other fields stay as they are written, too', () => {
  const fields = fc.array(fc.tuple(fc.string(), space, entry))
  fc.assert(
    fc.property(list, fields, fields, fc.nat(), ({ entries, text }, before, after, any) => {
      const place = any % entries.length
      const written = (some: readonly (readonly string[])[]) =>
        some.filter(([key]) => key !== 'jobs').map(([key, gap, value]) => `${JSON.stringify(key)}${gap}:${gap}${value}`)
      const [head, tail] = [written(before), written(after)]
      const file = (jobs: string) => `\ufeff {${[...head, `"j\\u006fbs" : ${jobs}`, ...tail].join(' , ')}}\n`
      assert.equal(withoutEntry(file(text), place), file(withoutEntry(text, place)))
    }),
  )
})

test('line breaks within texts, which are taken for what they mean, part nothing', () => {
  assert.equal(withoutEntry('[{"a": "x\n]},"}, 2, [3, "\\"]"]]', 1), '[{"a": "x\n]},"}, [3, "\\"]"]]')
  assert.equal(withoutEntry('{"a\nb": 1, "jobs": [2]}', 0), '{"a\nb": 1, "jobs": []}')
})
