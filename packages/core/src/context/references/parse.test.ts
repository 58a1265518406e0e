import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { parseReferences, withoutReferences } from './parse.ts'

const found = (text: string) =>
  parseReferences(text).map(({ kind, value, lines }) => [kind, value, ...(lines ? [lines.first, lines.last] : [])])

const cases: readonly (readonly [text: string, found: readonly (readonly unknown[])[]])[] = [
  ['look at @file:src/main.ts please', [['file', 'src/main.ts']]],
  ['@file:a.ts:10', [['file', 'a.ts', 10, 10]]],
  ['@file:a.ts:10-20', [['file', 'a.ts', 10, 20]]],
  [
    '@file:a.ts:10-20, and @folder:src/!',
    [
      ['file', 'a.ts', 10, 20],
      ['folder', 'src/'],
    ],
  ],
  ['(see @file:a.ts:7)', [['file', 'a.ts', 7, 7]]],
  ['(@file:lib/[id].ts)', [['file', 'lib/[id].ts']]],
  ['@file:page(1).txt!', [['file', 'page(1).txt']]],
  ['@file:"my notes.md":3-4 ok', [['file', 'my notes.md', 3, 4]]],
  ["@file:'it is.md'", [['file', 'it is.md']]],
  ['@file:`a b`', [['file', 'a b']]],
  ['看看@file:说明.md。', [['file', '说明.md']]],
  ['@file:~/notes.md?', [['file', '~/notes.md']]],
  ['@diff', [['diff', '']]],
  [
    'review @diff, then @staged.',
    [
      ['diff', ''],
      ['staged', ''],
    ],
  ],
  ['@git:3', [['git', '3']]],
  ['@url:https://example.org/a(b)?q=1.', [['url', 'https://example.org/a(b)?q=1']]],
  ['@url:https://example.org:8080', [['url', 'https://example.org:8080']]],
  ['ann@file:x', []],
  ['/@file:x', []],
  ['@different @diffs @diff-tool @diff/x @stagedly', []],
  ['@file: x', []],
  ['@file:...', []],
  ['@ann said @everyone', []],
  ['@FILE:x', []],
]

for (const [text, expected] of cases) {
  test(`"${text}" refers to ${JSON.stringify(expected)}`, () => assert.deepEqual(found(text), expected))
}

test('a text without its references keeps its lines and has no gaps', () => {
  const text = 'Compare @file:a.ts and @file:b.ts .\nThen, @diff, go on.\n  @staged'
  assert.equal(withoutReferences(text, parseReferences(text)), 'Compare and.\nThen,, go on.')
})

test('references stand where they say, in order, and any text is read in no time', () => {
  const pieces = fc.constantFrom(
    '@file:',
    '@diff',
    '@git:',
    '"',
    '`',
    "'",
    ':',
    '1',
    '-',
    ' ',
    '\n',
    'a',
    '(',
    ')',
    '.',
    '@',
    '/',
    '号',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const text = parts.join('')
      let at = 0
      for (const { raw, start, end } of parseReferences(text)) {
        assert.ok(start >= at && end > start)
        assert.equal(text.slice(start, end), raw)
        at = end
      }
    }),
  )
  const begun = processorMs()
  for (const part of ['@file:', '@file:"', '@file:)', '@diff@', '@file:a:1-']) parseReferences(part.repeat(50_000))
  assert.ok(processorMs() - begun < 2_000)
})
