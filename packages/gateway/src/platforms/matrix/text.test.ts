import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { processorMs } from '@hermes/testing/processor-ms.ts'
import { messageContent } from './events.ts'
import { htmlToText } from './html-text.ts'
import { toHtml } from './markdown-html.ts'
import { isMentioned, textOf } from './mention.ts'

const allowed =
  /^(?:[^<>]|<\/?(?:p|h[1-6]|pre|blockquote|ul|li|table|thead|tbody|tr|th|td|strong|em|del|code)>|<(?:br|hr)>|<code class="language-[\w+#.-]+">|<ol(?: start="\d+")?>|<\/ol>|<a href="(?:https?|ftp|mailto|magnet|matrix):[^"<>]*">|<\/a>)*$/i

const markdown = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 12 }),
      fc.constantFrom(
        '**',
        '_',
        '~~',
        '`',
        '```\n',
        '\n\n',
        '\n- ',
        '\n> ',
        '# ',
        '| a | b |\n|--|--|\n',
        '<script>',
        '</p>',
      ),
      fc.constantFrom(
        '[x](javascript:alert(1))',
        '[y](https://a.b/?c="d")',
        '<img onerror=x>',
        '![z](data:text/html,x)',
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

test('whatever is written, only tags of ours and harmless links come out', () => {
  fc.assert(fc.property(markdown, (text) => allowed.test(toHtml(text) ?? '')))
})

test('any HTML is read, in time in proportion to its length', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (html) => typeof htmlToText(html, { without: '@a:b' }) === 'string'),
  )
  const startedAt = processorMs()
  for (const part of ['<a "', '<ul><li>', '<pre> ', '&#', '<!--', '</p>']) {
    htmlToText(part.repeat(16_000), { without: '@a:b' })
  }
  assert.ok(processorMs() - startedAt < 3_000)
})

test('Markdown becomes HTML, and what says no more than its text stays text', () => {
  assert.equal(toHtml('just <b>text</b>'), undefined)
  assert.equal(toHtml('**a** [l](https://x.y)'), '<strong>a</strong> <a href="https://x.y">l</a>')
  assert.equal(toHtml('- a\n- b'), '<ul><li>a</li><li>b</li></ul>')
  assert.equal(toHtml('```ts\na < b\n```'), '<pre><code class="language-ts">a &lt; b\n</code></pre>')
  assert.equal(toHtml('>'.repeat(4_000)), undefined)
})

test('HTML of other apps becomes Markdown without what it answers and without our name', () => {
  const read = (html: string) => htmlToText(html, { without: '@bot:x.y' })
  assert.equal(read('<mx-reply>old</mx-reply><p>a <b>b</b></p><p>c<br>d</p>'), 'a **b**\n\nc\nd')
  assert.equal(read('<ol start="3"><li>x</li><li>y<ul><li>z</li></ul></li></ol>'), '3. x\n4. y\n   - z')
  assert.equal(read('<pre><code class="language-js">a &lt; b\n  c</code></pre>'), '```\na < b\n  c\n```')
  assert.equal(
    read('<a href="https://matrix.to/#/@bot:x.y">Bot</a> ask <a href="https://matrix.to/#/%40al%3Ax.y">Al</a>'),
    'ask Al',
  )
  assert.equal(read('<a href="https://a.b/c">here</a> &amp; <script>x</script>1 < 2'), '[here](https://a.b/c) & 1 < 2')
})

test('we are named by what the app says, our id, our short name as a word, or a link', () => {
  const self = { userId: '@hermes:x.y', displayName: 'Hermes Bot' }
  const named = (body: string, more = {}) => isMentioned(messageContent.parse({ body, ...more }), self)
  assert.ok(named('x', { 'm.mentions': { user_ids: ['@hermes:x.y'] } }))
  assert.ok(named('ask @Hermes:x.y now'))
  assert.ok(named('Hermes, are you there?'))
  assert.ok(named('x', { formatted_body: '<a href="https://matrix.to/#/%40hermes%3Ax.y">H</a>' }))
  for (const body of ['hermesian', 'my.hermes', 'hermes.txt', '@hermes2:x.y', 'x', 'hermes-2'])
    assert.ok(!named(body), body)
})

test('the name and the quoted lines are left out of what is said, and ! begins a command', () => {
  const self = { userId: '@hermes:x.y', displayName: 'Hermes Bot' }
  const said = (content: object) => textOf(messageContent.parse(content), self)
  assert.equal(said({ body: '@hermes:x.y: do it', 'm.mentions': { user_ids: ['@hermes:x.y'] } }), 'do it')
  assert.equal(said({ body: 'Hermes Bot: /new', 'm.mentions': { user_ids: ['@hermes:x.y'] } }), '/new')
  assert.equal(said({ body: 'hermes' }), 'hermes')
  assert.equal(said({ body: '!approve session' }), '/approve session')
  assert.equal(said({ body: '! is a sign' }), '! is a sign')
  const reply = { 'm.in_reply_to': { event_id: '$1' } }
  assert.equal(said({ body: '> <@a:b> old\n> more\n\nnew', 'm.relates_to': reply }), 'new')
  assert.equal(said({ body: '> quoted by hand' }), '> quoted by hand')
})
