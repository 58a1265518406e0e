import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { editsOfHunks } from './locate-hunks.ts'
import { parsePatch } from './parse-patch.ts'
import { PatchError } from './patch-error.ts'
import { applyEdits } from './text-content.ts'

/** What a patch of one file makes of its text. */
function applied(text: string, patch: string): string {
  const [operation] = parsePatch(patch)
  assert.equal(operation?.type, 'update')
  return operation.type === 'update' ? applyEdits(text, editsOfHunks('f', text, operation.hunks)) : ''
}

const update = (body: string) => `*** Begin Patch\n*** Update File: f\n${body}\n*** End Patch`

test('a patch names its operations in order', () => {
  const patch = `Some words before
*** Begin Patch
*** Update File: a b.txt
@@ def f():
-x
+y
*** Add File: new/file.py
+one
+
+three

*** Delete File: gone
*** Move File: old -> new
*** Update File: c
*** Move to: d
 x
+y
*** End Patch
and after`
  const operations = parsePatch(patch)
  assert.deepEqual(
    operations.map(({ type, path }) => `${type} ${path}`),
    ['update a b.txt', 'add new/file.py', 'delete gone', 'move old', 'update c'],
  )
  assert.deepEqual(operations[1], { type: 'add', path: 'new/file.py', content: 'one\n\nthree\n' })
  assert.equal(operations[4]?.type === 'update' && operations[4].moveTo, 'd')
  assert.equal(parsePatch('*** Update File: a\n-x')[0]?.type, 'update')
})

test('a patch that is none gets an error that says what is wrong', () => {
  const wrong: [string, RegExp][] = [
    ['', /no operation/],
    ['just text', /no operation/],
    ['*** Update File: a', /no change/],
    ['*** Update File: a\n@@ hint', /no change/],
    ['*** Update File: a\n context only', /"-" or "\+"/],
    ['*** Add File: a\nno sign', /begins with "\+"/],
    ['*** Delete File: a\n-x', /no content/],
    ['*** Move File: a b', /old -> new/],
    ['*** Update File: a\n*** Rename to: b\n-x', /no line of a patch/],
  ]
  for (const [patch, message] of wrong)
    assert.throws(
      () => parsePatch(patch),
      (error) => error instanceof PatchError && message.test(error.message),
      patch,
    )
})

test('context, removals and additions are applied, several hunks too', () => {
  const text = 'one\ntwo\nthree\nfour\nfive\nsix\n'
  assert.equal(
    applied(text, update('@@\n two\n-three\n+THREE\n+3b\n four\n@@\n-six\n+SIX')),
    'one\ntwo\nTHREE\n3b\nfour\nfive\nSIX\n',
  )
  assert.equal(
    applied(text, update('-six\n+SIX\n@@\n-one\n+ONE')),
    'ONE\ntwo\nthree\nfour\nfive\nSIX\n',
    'in any order',
  )
})

test('an empty line in a hunk is an empty line of the file, and blank lines at its end may be spacing', () => {
  const text = 'a\n\nb\nc\n'
  assert.equal(applied(text, update(' a\n\n-b\n+B')), 'a\n\nB\nc\n')
  assert.equal(applied(text, update(' a\n \n-b\n+B')), 'a\n\nB\nc\n')
  assert.equal(applied(text, update('-b\n+B\n\n')), 'a\n\nB\nc\n')
})

test('lines that stand several times need a hint, a line number or the hunk before', () => {
  const text = 'class A:\n  def f():\n    return 1\nclass B:\n  def f():\n    return 1\n'
  assert.throws(() => applied(text, update('-    return 1\n+    return 2')), /fits 2 places \(lines 3, 6\)/)
  const second = 'class A:\n  def f():\n    return 1\nclass B:\n  def f():\n    return 2\n'
  assert.equal(applied(text, update('@@ class B:\n-    return 1\n+    return 2')), second)
  assert.equal(applied(text, update('@@ class B: @@\n-    return 1\n+    return 2')), second)
  assert.equal(applied(text, update('@@ class B:\n@@   def f():\n-    return 1\n+    return 2')), second)
  assert.equal(applied(text, update('@@ -6,1 +6,1 @@\n-    return 1\n+    return 2')), second)
  assert.equal(
    applied(text, update('@@\n-class B:\n+class C:\n@@\n-    return 1\n+    return 2')),
    second.replace('B', 'C'),
  )
  assert.throws(() => applied(text, update('@@ def f():\n-    return 1\n+    return 2')), /fits 2 places/)
})

test('lines alone are added after the hinted line, or at the end', () => {
  assert.equal(applied('a\nb\nc\n', update('@@ b\n+x\n+y')), 'a\nb\nx\ny\nc\n')
  assert.equal(applied('a\nb\n', update('@@\n+x')), 'a\nb\nx\n')
  assert.equal(applied('', update('+x')), 'x\n')
  assert.throws(() => applied('a\nb\na\n', update('@@ a\n+x')), /stands 2 times/)
  assert.throws(() => applied('a\nb\n', update('@@ nowhere\n+x')), /no line "nowhere"/)
})

test('a hunk for the end of the file is looked for only there', () => {
  assert.equal(applied('x\ny\nx\n', update('-x\n+z\n*** End of File')), 'x\ny\nz\n')
})

test('whether the last line has an end stays as it is', () => {
  assert.equal(applied('a\nb', update('-b\n+c')), 'a\nc')
  assert.equal(applied('a\nb', update(' b\n+c')), 'a\nb\nc')
  assert.equal(applied('a\nb', update('-b')), 'a')
  assert.equal(applied('a', update('-a')), '')
  assert.equal(applied('a\nb\n', update('-b\n\\ No newline at end of file\n+c')), 'a\nc\n')
  assert.equal(applied('a\nb\nc', update('-b\n+B\n@@\n-c')), 'a\nB')
})

test('other indentation is forgiven where the place is clear, and the new lines get that of the file', () => {
  assert.equal(
    applied('def f():\n\tif x:\n\t\treturn 1\n', update(' if x:\n-    return 1\n+    return 2')),
    'def f():\n\tif x:\n\t\treturn 2\n',
  )
  assert.equal(applied('say “hi”  \n', update('-say "hi"\n+bye')), 'bye\n')
})

test('context that differs in blanks stays as it is in the file', () => {
  assert.equal(applied('a  \nb\n', update(' a\n-b\n+c')), 'a  \nc\n')
})

test('what is not in the file is an error that shows the nearest line', () => {
  assert.throws(
    () => applied('let counter = 0\n', update('-let count = 0\n+let count = 1')),
    (error) =>
      error instanceof PatchError &&
      /could not be found/.test(error.message) &&
      /line 1: let counter/.test(String(error.details['_hint'])),
  )
})

test('two hunks for the same line are refused', () => {
  assert.throws(() => applied('a\nb\n', update('-a\n+x\n@@\n-a\n+y')), /same lines/)
})

const fileLines = fc.array(fc.constantFrom('a', 'b', 'c', '', '  a', '}', '-x', '+y', '*** z', '@@'), { maxLength: 15 })

/** A patch from one list of lines to another, as `diff -U<context>` would number it. */
function patchBetween(from: readonly string[], to: readonly string[], context: number): string {
  const table = from.map(() => to.map(() => 0))
  const common = (i: number, j: number): number => table[i]?.[j] ?? 0
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      const row = table[i]
      if (row) row[j] = from[i] === to[j] ? common(i + 1, j + 1) + 1 : Math.max(common(i + 1, j), common(i, j + 1))
    }
  }
  const rows: { text: string; old: number }[] = []
  for (let i = 0, j = 0; i < from.length || j < to.length;) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      rows.push({ text: ` ${from[i]}`, old: i })
      i += 1
      j += 1
    } else if (i < from.length && (j >= to.length || common(i + 1, j) >= common(i, j + 1)))
      rows.push({ text: `-${from[i++]}`, old: i })
    else rows.push({ text: `+${to[j++]}`, old: i })
  }
  const isChange = (row: { text: string } | undefined) => row !== undefined && !row.text.startsWith(' ')
  const kept = rows.map((_, index) => rows.slice(Math.max(0, index - context), index + context + 1).some(isChange))
  const body: string[] = []
  for (const [index, row] of rows.entries()) {
    if (!kept[index]) continue
    if (!kept[index - 1]) {
      const hunk = rows.slice(index, kept.indexOf(false, index) === -1 ? undefined : kept.indexOf(false, index))
      const count = hunk.filter(({ text }) => !text.startsWith('+')).length
      const first = row.text.startsWith('-') ? row.old : row.old + 1
      body.push(`@@ -${count === 0 ? first - 1 : first},${count} +1,1 @@`)
    }
    body.push(row.text)
  }
  return update(body.join('\n'))
}

test('the patch from one text to another makes the other of the one', () => {
  fc.assert(
    fc.property(fileLines, fileLines, fc.nat(3), (from, to, context) => {
      if (from.join('\n') === to.join('\n') || from.length === 0 || to.length === 0) return
      const text = from.map((line) => `${line}\n`).join('')
      assert.equal(applied(text, patchBetween(from, to, context)), to.map((line) => `${line}\n`).join(''))
    }),
    { numRuns: 1_500 },
  )
})

const garbage = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '*** Begin Patch',
        '*** End Patch',
        '*** Update File: f',
        '*** Add File: f',
        '@@',
        '@@ a',
        '@@ -1,2 +3,4 @@',
        '*** End of File',
        '\\ No newline at end of file',
      ),
      fc.constantFrom(' a', '-a', '+a', ' b', '-b', '+b', '', 'a', '  a', '+*** Add File: x'),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((rows) => rows.join('\n'))

test('garbage is refused with a PatchError, or changes only lines that it names', () => {
  fc.assert(
    fc.property(fileLines, garbage, (lines, patch) => {
      const text = lines.join('\n')
      let operations
      try {
        operations = parsePatch(`*** Update File: f\n${patch}`)
      } catch (error) {
        return assert.ok(error instanceof PatchError)
      }
      for (const operation of operations) {
        if (operation.type !== 'update') continue
        let result
        try {
          result = applyEdits(text, editsOfHunks('f', text, operation.hunks))
        } catch (error) {
          assert.ok(error instanceof PatchError)
          continue
        }
        const named = operation.hunks.flatMap((hunk) => hunk.lines)
        const count = (kind: string) => named.filter((line) => line.kind === kind).length
        const lineCount = (value: string) => (value === '' ? 0 : value.replace(/\n$/, '').split('\n').length)
        assert.equal(lineCount(result) - lineCount(text), count('add') - count('remove'))
        const removed = named.filter(({ kind }) => kind === 'remove').map((line) => line.text.trim())
        const left = result.split('\n').map((line) => line.trim())
        for (const line of lines.map((one) => one.trim())) assert.ok(left.includes(line) || removed.includes(line))
      }
    }),
    { numRuns: 2_000 },
  )
})
