import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseMrkdwn } from '@hermes/testing/slack/mrkdwn.ts'
import * as fc from 'fast-check'
import { blockRoom, mrkdwnLength, toMrkdwn } from './mrkdwn.ts'

test('what models write gets its form', () => {
  const table: readonly (readonly [string, string])[] = [
    ['**bold** and *italic*, _too_, __bold__', '*bold* and _italic_, _too_, *bold*'],
    ['***both*** ~~gone~~', '*_both_* ~gone~'],
    ['# A **big** title', '*A big title*'],
    ['a_snake_case b_c 2 * 3 * 4 **open', 'a_snake_case b_c 2 * 3 * 4 **open'],
    ['see [the docs](https://a.b/c_(d)) now', 'see <https://a.b/c_(d)|the docs> now'],
    ['[x](<https://a.b/?q=1&r=2>) ![pic](https://a.b/c.png)', '<https://a.b/?q=1&amp;r=2|x> <https://a.b/c.png|pic>'],
    ['[a file](./x.md) [odd](https://a.b/x|y)', 'a file (./x.md) odd (https://a.b/x|y)'],
    ['https://a.b/x_y_z?a=1&b', 'https://a.b/x_y_z?a=1&amp;b'],
    ['* one\n- two *x*\n1. three', '• one\n• two _x_\n1. three'],
    ['> said & done\n>> more', '> said &amp; done\n>&gt; more'],
    ['a < b && c > d', 'a &lt; b &amp;&amp; c &gt; d'],
    ['already &lt;b&gt; &amp; &nbsp;', 'already &lt;b&gt; &amp; &amp;nbsp;'],
    [
      '<@U1> <#C1|general> <!here> <!date^1^{date}|then> <!subteam^S1> <https://a.b|x>',
      '<@U1> <#C1|general> <!here> <!date^1^{date}|then> <!subteam^S1> <https://a.b|x>',
    ],
    ['run `a<b && **c**` now', 'run `a&lt;b &amp;&amp; **c**` now'],
    ['``a`b``', '`aˋb`'],
    ['**a `**` b**', '*a `**` b*'],
    ['```ts\nif (a < b) `x` // &lt;\n```\nend', '```\nif (a &lt; b) `x` // &amp;lt;\n```\nend'],
    ['~~~\n```\nx\n```\n~~~', '```\n`\u200b``\nx\n`\u200b``\n```'],
    ['```\nnever closed', '```\nnever closed\n```'],
    ['\\*not\\* 1\\. x', '*\u200bnot*\u200b 1. x'],
    ['**重要**です', '*重要*\u200bです'],
  ]
  for (const [markdown, mrkdwn] of table) assert.equal(toMrkdwn(markdown), mrkdwn, markdown)
})

const pieces =
  '*,**,***,_,__,~,~~,`,``,```,````,```js,~~~,[,],](,),![,\n, ,\\,> ,>,<,&,&amp;,&lt;,|,# ,- ,* ,a,b c,é,😀,.,\r\n,[x](http://y.z),[x](<http://y.z/?a&b>),https://a.b/c_d_e,<@U1>,<!here>,<http://a.b|c>,`c`'

/** Texts that are thick with marks. */
const marked = fc
  .array(fc.oneof(fc.constantFrom(...pieces.split(',')), fc.string({ maxLength: 5 })), { maxLength: 40 })
  .map((parts) => parts.join(''))

test('whatever the text, Slack can read it, and it is no longer than it was said to be', () => {
  fc.assert(
    fc.property(marked, (text) => {
      const mrkdwn = toMrkdwn(text)
      parseMrkdwn(mrkdwn)
      assert.ok(mrkdwn.length <= mrkdwnLength(text) + blockRoom, `${mrkdwn.length} of ${mrkdwnLength(text)}`)
    }),
    { numRuns: 5_000 },
  )
})

test('code comes through letter by letter', () => {
  const code = fc
    .array(fc.constantFrom('a', '<', '>', '&', '&lt;', '*', '_', '~', '[x](y)', '  ', '<@U1>', '\n', '`', '\\'), {
      minLength: 1,
      maxLength: 20,
    })
    .map((parts) => `x${parts.join('')}x`)
  fc.assert(
    fc.property(code, marked, (inside, around) => {
      const block = `~~~~~\n${inside}\n~~~~~`
      const read = parseMrkdwn(toMrkdwn(`${block}\n${around.replaceAll(/[`~]/g, '')}`))
      assert.equal(read[0]?.type === 'block' && read[0].text.replaceAll('\u200b', ''), inside)
      const line = inside.replaceAll(/[`\n]/g, '')
      const inline = parseMrkdwn(toMrkdwn(`say \`${line}\` now`)).find(({ type }) => type === 'code')
      assert.equal(inline?.type === 'code' && inline.text, line)
    }),
    { numRuns: 2_000 },
  )
})

test('addresses of links come through, and no letter is lost', () => {
  const url = fc
    .webUrl({ withQueryParameters: true, withFragments: true })
    .filter((one) => !/[()|*_~[\]\s<>`]/.test(one))
  const word = fc.stringMatching(/^[a-z]{1,8}$/)
  fc.assert(
    fc.property(url, word, word, (address, label, beside) => {
      const read = parseMrkdwn(toMrkdwn(`${beside} **[${label}](${address})** ${beside}`))
      const link = read.find(({ type }) => type === 'link')
      assert.deepEqual(link, {
        type: 'link',
        url: address.replaceAll(/&(amp|lt|gt);/g, (all) =>
          parseMrkdwn(all)
            .map((piece) => ('text' in piece ? piece.text : ''))
            .join(''),
        ),
        label,
      })
    }),
    { numRuns: 1_000 },
  )
  const words = fc
    .array(fc.constantFrom('*', '**', '_', '__', '~~', '\n', ' ', '> ', 'a1', 'bc', '.', '&', '<', '>'), {
      maxLength: 40,
    })
    .map((parts) => parts.join(''))
  const letters = (text: string) => text.replaceAll(/[^a-z0-9]/g, '')
  fc.assert(
    fc.property(
      words.filter((text) => !/^ *~~~/m.test(text)),
      (text) => {
        const shown = parseMrkdwn(toMrkdwn(text)).map((piece) => ('text' in piece ? piece.text : ''))
        assert.equal(letters(shown.join('')), letters(text))
      },
    ),
    { numRuns: 2_000 },
  )
})
