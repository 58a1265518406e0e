import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { findText } from './find-text.ts'
import { applyEdits } from './text-content.ts'

function replaced(text: string, wanted: string, replacement: string): string | undefined {
  const found = findText(text, wanted, replacement)
  return found && applyEdits(text, found.edits)
}

test('an exact text is found everywhere it stands, and nothing looser is looked for', () => {
  const found = findText('a b\n a  b\na b\n', 'a b', 'x')
  assert.deepEqual([found?.by, found?.edits.length], ['exact', 2])
})

test('blanks at line ends do not matter', () => {
  assert.equal(replaced('if x:  \n  y\t\nz\n', 'if x:\n  y\n', 'if x:\n  w\n'), 'if x:\n  w\nz\n')
})

test('a block that is indented otherwise is found, and the new one gets the indentation of the file', () => {
  const text = 'class A:\n    def f(self):\n        return 1\n'
  assert.equal(
    replaced(text, 'def f(self):\n    return 1', 'def f(self):\n    if ok:\n        return 2'),
    'class A:\n    def f(self):\n        if ok:\n            return 2\n',
  )
  assert.equal(
    replaced('\tif a {\n\t\tb()\n\t}\n', '  if a {\n    b()\n  }', '  if a {\n    c()\n      d()\n  }'),
    '\tif a {\n\t\tc()\n\t\t\td()\n\t}\n',
  )
})

test('of two places the one with the same inner indentation is meant', () => {
  const text = 'a:\nb\n\n  a:\n    b\n'
  assert.equal(replaced(text, '    a:\n      b', '    a:\n      c'), 'a:\nb\n\n  a:\n    c\n')
})

test('runs of blanks and typographic characters are as good as plain ones, in a part of a line too', () => {
  assert.equal(replaced('x = foo( a,   b )\n', 'foo( a, b )', 'bar()'), 'x = bar()\n')
  assert.equal(replaced('say “hi” – now\n', 'say "hi" - now', 'bye'), 'bye\n')
  assert.equal(replaced('one\n“two”\nthree\n', 'one\n"two"\nthree', 'x'), 'x\n')
  assert.equal(replaced('say "hi"\n', 'say “hi”', 'bye'), 'bye\n')
})

test('blank lines around the wanted text that are not there are left out on both sides', () => {
  assert.equal(replaced('a\nb\nc\n', '\n\nb\n\n', '\n\nB\n\n'), 'a\nB\nc\n')
})

test('a text that was escaped once too often is found and marked as a guess', () => {
  const found = findText('a\n\tb\n', 'a\\n\\tb', 'c\\nd')
  assert.equal(found?.isGuess, true)
  assert.equal(applyEdits('a\n\tb\n', found?.edits ?? []), 'c\nd\n')
})

test('a block with small differences is found when it is the only one, and marked as a guess', () => {
  const text = 'begin\n  let count = items.length\n  return count\nend\nother\n'
  const found = findText(text, 'begin\n  let count = item.length\n  return count\nend', 'X')
  assert.deepEqual([found?.isGuess, applyEdits(text, found?.edits ?? [])], [true, 'X\nother\n'])
  assert.equal(findText(text + text, 'begin\n  let count = item.length\n  return count\nend', 'X'), undefined)
  assert.equal(findText(text, 'begin\n  something else altogether\n  return count\nend', 'X'), undefined)
})

test('what is not there is not found', () => {
  for (const wanted of ['zzz', 'b\na', '\n\n\n\n', 'a\n\nb', '   '])
    assert.equal(findText('a\nb\n', wanted, 'x'), undefined, wanted)
})

const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\t', '}', '“', '\\', 'n'), maxLength: 30 })

test('whatever is looked for, edits are in order, apart, and put the new text there', () => {
  fc.assert(
    fc.property(word, word, word, (text, wanted, replacement) => {
      if (wanted === '') return
      const found = findText(text, wanted, replacement)
      if (!found) return assert.ok(!text.includes(wanted))
      let at = 0
      for (const edit of found.edits) {
        assert.ok(edit.start >= at && edit.end >= edit.start && edit.end <= text.length)
        at = edit.end
      }
      if (found.by === 'exact') assert.equal(applyEdits(text, found.edits), text.split(wanted).join(replacement))
    }),
    { numRuns: 2_000 },
  )
})

test('a text taken from the file is always found exactly', () => {
  fc.assert(
    fc.property(word, fc.nat(30), fc.nat(30), (text, a, b) => {
      const wanted = text.slice(Math.min(a, b), Math.max(a, b))
      if (wanted !== '') assert.equal(findText(text, wanted, 'x')?.by, 'exact')
    }),
    { numRuns: 1_000 },
  )
})

test('a long file of equal lines takes no long time', () => {
  const text = 'the very same line of text\n'.repeat(30_000)
  const before = process.threadCpuUsage()
  assert.equal(findText(text, `${'the very same line of text\n'.repeat(50)}but not this`, 'x'), undefined)
  assert.ok(process.threadCpuUsage(before).user < 2_000_000)
})
