import assert from 'node:assert/strict'
import { test } from 'node:test'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { lexed } from './bounded-lexer.ts'

const filled = (piece: string) => piece.repeat(Math.floor(15_000 / piece.length))

test('no text holds up the page or breaks it', () => {
  const pieces = [
    '*a ',
    '_a_',
    '**',
    '`a',
    '~~a ',
    '***a **b *c ',
    '[a](',
    '[![[',
    '[',
    '[a][b]',
    '!',
    '<a ',
    '&',
    '\\',
  ]
  const lines = ['> ', '>', '- ', '1. ', '> - ', '- a\n', '> a\n', '1. a\n', '|a|b|\n', '# ', '```\n', 'a\n', '    a\n']
  const paragraphs = ['*a '.repeat(300), '*a '.repeat(20), '>'.repeat(29), '- '.repeat(29)].map((one) => `${one}\n\n`)
  const odd = [`a${' '.repeat(15_000)}b`, `a${' '.repeat(199)}`, `*${'a'.repeat(40)} `, 'http://a.', 'a@']
  const nested = Array.from({ length: 150 }, (_, at) => `${' '.repeat(at)}- a`).join('\n')
  for (const text of [nested, ...[...pieces, ...lines, ...paragraphs, ...odd].map(filled)]) {
    const began = processorMs()
    lexed(text)
    const ms = processorMs() - began
    assert.ok(ms < 2_000, `${JSON.stringify(text.slice(0, 40))} took ${Math.round(ms)} ms`)
  }
})

test('a long answer with much in it is read whole', () => {
  const section =
    '## Part\n\nSome **bold**, `code` and [a link](https://example.org).\n\n- one\n- *two*\n\n|a|b|\n|-|-|\n|`c`|d|\n\n'
  const code = `\`\`\`js\n${'a[i] = b * c; // [_]\n'.repeat(200)}\`\`\`\n\n---\n\n`
  const tokens = lexed(section.repeat(100) + code + 'The **end**.')
  const count = (type: string) => tokens.filter((token) => token.type === type).length
  assert.deepEqual([count('heading'), count('list'), count('table'), count('code'), count('hr')], [100, 100, 100, 1, 1])
  const last = tokens.at(-1)
  assert.deepEqual(last?.type === 'paragraph' && last.tokens?.map(({ type }) => type), ['text', 'strong', 'text'])
})
