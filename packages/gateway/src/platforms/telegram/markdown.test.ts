import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMarkdownV2 } from '@hermes/testing/telegram/markdown-v2.ts'
import * as fc from 'fast-check'
import { toMarkdownV2, toPlainText } from './markdown.ts'

/** The text as people see it, with its forms: `bold(x)`. */
function shown(markdown: string): string {
  const { text, entities } = parseMarkdownV2(toMarkdownV2(markdown))
  const forms = entities.map(
    ({ type, offset, length, url, language }) =>
      `${type}(${text.slice(offset, offset + length)})${url ?? language ?? ''}`,
  )
  return [text, ...forms].join(' | ')
}

test('what models write gets its form', () => {
  assert.equal(
    shown('**bold** and *italic*, _too_'),
    'bold and italic, too | bold(bold) | italic(italic) | italic(too)',
  )
  assert.equal(shown('# A **big** title'), 'A big title | bold(A big title)')
  assert.equal(shown('a_snake_case b_c'), 'a_snake_case b_c')
  assert.equal(shown('~~gone~~ ||hidden||'), 'gone hidden | strikethrough(gone) | spoiler(hidden)')
  assert.equal(shown('***both***'), 'both | italic(both) | bold(both)')
  assert.equal(
    shown('see [the docs](https://a.b/c_(d)) now.'),
    'see the docs now. | text_link(the docs)https://a.b/c_(d)',
  )
  assert.equal(shown('* one\n* two *x*'), '• one\n• two x | italic(x)')
  assert.equal(shown('- 1.5 + 2 = 3!'), '- 1.5 + 2 = 3!')
  assert.equal(shown('> said\n> more\nnot'), 'said\nmore\nnot | blockquote(said\nmore)')
  assert.equal(shown('run `a\\b*c` now'), 'run a\\b*c now | code(a\\b*c)')
  assert.equal(shown('``a`b``'), 'a`b | code(a`b)')
  assert.equal(shown('```ts\nconst a = `x\\n`\n```\nend'), 'const a = `x\\n`\n\nend | pre(const a = `x\\n`\n)ts')
  assert.equal(shown('~~~\nx\n'), 'x | pre(x)')
  assert.equal(shown('2 * 3 * 4 and **open'), '2 * 3 * 4 and **open')
  assert.equal(shown('1\\. \\*not\\*'), '1. *not*')
})

test('without marks the words stay', () => {
  assert.equal(toPlainText('# T\n**b** `c` a_b_c [x](http://y)\n```js\nz\n```'), 'T\nb c a_b_c x (http://y)\nz')
})

/** Texts that are thick with marks. */
const marked = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '*',
        '**',
        '***',
        '_',
        '__',
        '~',
        '~~',
        '|',
        '||',
        '`',
        '``',
        '```',
        '```js',
        '~~~',
        '[',
        ']',
        '](',
        ')',
        '![',
        '(',
        '\n',
        ' ',
        '\\',
        '> ',
        '>',
        '# ',
        '- ',
        '* ',
        '1. ',
        '.',
        '!',
        '{',
        '}',
        '#',
        '+',
        '=',
        'a',
        'b c',
        'é',
        '😀',
        '[x](http://y.z)',
        '`c`',
        '**b**',
        '_i_',
        '*i*',
        '\r\n',
        '\t',
        '\0',
      ),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''))

test('whatever the text, the service can read it', () => {
  fc.assert(
    fc.property(marked, (text) => {
      parseMarkdownV2(toMarkdownV2(text))
    }),
    { numRuns: 5_000 },
  )
})

test('what is shown is never longer than what was written', () => {
  fc.assert(
    fc.property(marked, (text) => {
      assert.ok(parseMarkdownV2(toMarkdownV2(text)).text.length <= text.length)
    }),
    { numRuns: 2_000 },
  )
})

test('letters and digits are never lost', () => {
  const letters = (text: string) => text.replaceAll(/[^a-z0-9]/g, '')
  const words = fc
    .array(fc.constantFrom('*', '**', '_', '__', '~~', '||', '`', '\n', ' ', '> ', 'a1', 'bc', '\\', '.', '#'), {
      maxLength: 40,
    })
    .map((parts) => parts.join(''))
    // What follows the fence of a code block is its language, which is no text.
    .filter((text) => !/^ *(```|~~~)/m.test(text))
  fc.assert(
    fc.property(words, (text) => {
      assert.equal(letters(parseMarkdownV2(toMarkdownV2(text)).text), letters(text))
      assert.equal(letters(toPlainText(text)), letters(text))
    }),
    { numRuns: 3_000 },
  )
})
