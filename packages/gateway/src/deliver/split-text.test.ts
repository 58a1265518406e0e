import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { splitText } from './split-text.ts'

const withoutCount = (part: string) => part.replace(/\s\(\d+\/\d+\)$/, '')

test('a text that fits is one message, an empty one none', () => {
  assert.deepEqual(splitText('hello', { maxLength: 10 }), ['hello'])
  assert.deepEqual(splitText('   \n', { maxLength: 10 }), [])
})

test('cuts are made at the end of paragraphs, lines and words', () => {
  const text = `${'a'.repeat(30)}\n\n${'b'.repeat(20)} ${'c'.repeat(20)}\n${'d'.repeat(30)}`
  assert.deepEqual(splitText(text, { maxLength: 60 }), [
    `${'a'.repeat(30)} (1/3)`,
    `${'b'.repeat(20)} ${'c'.repeat(20)} (2/3)`,
    `${'d'.repeat(30)} (3/3)`,
  ])
})

test('a code block that is cut is closed and opened again with its language', () => {
  const code = Array.from({ length: 30 }, (_, n) => `line ${n}`).join('\n')
  const parts = splitText(`Look:\n\`\`\`python\n${code}\n\`\`\`\nDone.`, { maxLength: 120 }).map(withoutCount)
  assert.ok(parts.length > 2)
  for (const [at, part] of parts.entries()) {
    assert.equal((part.match(/^```/gm) ?? []).length % 2, 0, part)
    if (at > 0 && at < parts.length - 1) assert.match(part, /^```python\n/)
  }
  const lines = parts.flatMap((part) => part.split('\n').filter((line) => line.startsWith('line ')))
  assert.deepEqual(lines, code.split('\n'))
})

test('what closes a code block stands alone in its line, also in the last message', () => {
  const text = `\`\`\`js\n${'let x = 1\n'.repeat(60)}\`\`\`\n`
  const parts = splitText(text, { maxLength: 200 })
  assert.ok(parts.length > 2)
  for (const [at, part] of parts.entries()) {
    assert.ok(part.startsWith('```js\nlet x = 1\n'), part)
    assert.ok(part.endsWith(`\nlet x = 1\n\`\`\`\n(${at + 1}/${parts.length})`), part)
    assert.ok(part.length <= 200)
  }
})

test('links, code spans and graphemes are not cut', () => {
  const link = '[the whole documentation of it](https://example.org/a/very/long/path)'
  const [first = '', second = ''] = splitText(`${'x '.repeat(20)}${link}`, { maxLength: 80 }).map(withoutCount)
  assert.ok(!first.includes('[') && second.startsWith('['), `${first}|${second}`)
  const picture = `[![a picture](https://b.c/d.png)](https://example.org/${'y'.repeat(30)})`
  const [before = '', behind = ''] = splitText(`${'x '.repeat(20)}${picture}`, { maxLength: 120 }).map(withoutCount)
  assert.ok(!before.includes('[') && behind.startsWith('[!'), `${before}|${behind}`)
  const family = '👨‍👩‍👧‍👦'
  for (const part of splitText(family.repeat(40), { maxLength: 100 }).map(withoutCount)) {
    assert.equal(part.replaceAll(family, ''), '', part)
  }
})

test('nothing is lost, and every message fits, as its service counts', () => {
  const utf16 = (text: string) => text.length
  const bytes = (text: string) => Buffer.byteLength(text)
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', ' ', '\n', '`', '字', '😀', '*', 'word '), maxLength: 600 }),
      fc.integer({ min: 60, max: 200 }),
      fc.constantFrom(utf16, bytes),
      (text, maxLength, lengthOf) => {
        const parts = splitText(text, { maxLength, lengthOf })
        for (const part of parts) assert.ok(lengthOf(part) <= maxLength, `${lengthOf(part)} of ${maxLength}: ${part}`)
        assert.ok(parts.length <= 1 + (12 * lengthOf(text)) / (maxLength - 10), `${parts.length} parts`)
        const letters = (whole: string) => whole.replaceAll(/[\s`~]/g, '')
        assert.equal(letters(parts.map(withoutCount).join('')), letters(text))
      },
    ),
  )
})

test('however long an answer is and whatever a model repeats in it, cutting it takes no square of its length', () => {
  const measured = (text: string) => {
    let read = 0
    const parts = splitText(text, {
      maxLength: 2_000,
      lengthOf: (part) => {
        read += part.length
        return part.length
      },
    })
    return { read, parts }
  }
  for (const piece of ['word ', 'a', '`', '~', '*', '\n', '```js\nlet a\n', '[a](', '😀']) {
    const text = piece.repeat(100_000 / piece.length)
    const { read, parts } = measured(text)
    // Each part is looked for by halves.
    assert.ok(read <= 40 * text.length, `${piece}: ${read} characters were looked at`)
    assert.ok(parts.length <= text.length / 400, `${piece}: ${parts.length} parts`)
  }
})
