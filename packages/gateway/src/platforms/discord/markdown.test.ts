import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { splitText } from '../../deliver/split-text.ts'
import { discord } from './index.ts'
import { lengthOnDiscord, toDiscordMarkdown } from './markdown.ts'

test('what Discord has no form for takes another, outside code alone', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['### Stays', '### Stays'],
    ['#### Deep **down**', '**Deep down**'],
    ['![a chart](https://a.b/c.png) and ![](https://a.b/d.png)', '[a chart](https://a.b/c.png) and https://a.b/d.png'],
    ['~~~js\n#### code\n~~~', '```js\n#### code\n```'],
    ['```\n#### code\n~~~\n```\n#### x', '```\n#### code\n~~~\n```\n**x**'],
    ['**b** _i_ ~~s~~ ||sp|| `#### c`', '**b** _i_ ~~s~~ ||sp|| `#### c`'],
  ]
  for (const [given, wanted] of cases) assert.equal(toDiscordMarkdown(given), wanted)
})

test('whatever the text, its parts fit into messages as they are sent', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.constantFrom('\n#### heading\n', '\n```js\n', '\n```\n', '\n~~~\n', '![x](https://a.b/c)', '**bold** '),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      for (const part of splitText(pieces.join(''), discord.limits)) assert.ok(lengthOnDiscord(part) <= 2_000)
    }),
    { numRuns: 100 },
  )
})
