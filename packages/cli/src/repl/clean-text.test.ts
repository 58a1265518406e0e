import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { cleanLine, cleanText, createTextCleaner } from './clean-text.ts'

const cases: readonly (readonly [string, string, string])[] = [
  ['plain text', 'Grüße, 数据库 👋\n\tdone', 'Grüße, 数据库 👋\n\tdone'],
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['a window title', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a link with the other terminator', '\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\', 'text'],
  ['a clipboard write in single-byte controls', 'a\u009d52;c;aGk=\u009cb', 'ab'],
  ['screen clearing', '\u001b[2J\u001b[Hfresh\u001bc', 'fresh'],
  ['a character set change', '\u001b(0qqq', 'qqq'],
  ['overwriting with a carriage return', 'rm -rf /\rls', 'rm -rf /\nls'],
  ['DOS line breaks', 'a\r\nb', 'a\nb'],
  ['bells, backspaces and deletes', 'a\u0007b\u0008c\u007f', 'abc'],
  ['reversed reading direction', 'user\u202egpj.exe', 'usergpj.exe'],
  ['an unfinished sequence, up to the line break', 'a\u001b]0;rest\nb', 'a\nb'],
]
for (const [name, dirty, clean] of cases) {
  test(`cleaning keeps what a person reads and nothing that steers the terminal: ${name}`, () => {
    assert.equal(cleanText(dirty), clean)
  })
}

const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '\\',
      '\u0007',
      '\u009b',
      '\u009c',
      '\u009d',
      '\r',
      '\n',
      '0',
      ';',
      'm',
      'P',
      '\u0018',
      '(',
    ),
    fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' }),
  ),
})

test('where a text is cut into pieces makes no difference to what is left of it', () => {
  fc.assert(
    fc.property(nasty, fc.array(fc.nat(40)), (text, cuts) => {
      const chars = Array.from(text)
      const places = [0, ...cuts.map((cut) => cut % (chars.length + 1)).sort((a, b) => a - b), chars.length]
      const clean = createTextCleaner()
      const pieces = places.slice(1).map((place, index) => chars.slice(places[index], place).join(''))
      assert.equal(pieces.map((piece) => clean(piece)).join(''), cleanText(text))
    }),
  )
})

test('nothing that is left is a control character, and cleaning again changes nothing', () => {
  fc.assert(
    fc.property(nasty, (text) => {
      const clean = cleanText(text)
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      assert.doesNotMatch(clean, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
      assert.equal(cleanText(clean), clean)
    }),
  )
})

test('a cleaned line has no breaks or tabs', () => {
  assert.equal(cleanLine('  npm test\n\t&& echo \u001b[31mdone '), 'npm test && echo done')
})
