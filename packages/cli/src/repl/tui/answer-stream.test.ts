import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { VirtualTerminal } from '@hermes/testing/pty/virtual-terminal.ts'
import * as fc from 'fast-check'
import { defaultSkin } from '../skin.ts'
import { createTheme } from '../theme.ts'
import { AnswerStream } from './answer-stream.ts'
import { Screen } from './screen.ts'
import { TextBlock } from './text-block.ts'

const theme = createTheme(defaultSkin, 'none')
const opened = new Set<Screen>()

afterEach(() => {
  for (const screen of opened) screen.stop()
  opened.clear()
})

function open(columns = 60, rows = 12) {
  const terminal = new VirtualTerminal(columns, rows)
  const screen = new Screen(terminal, new TextBlock('>'), { styled: false })
  screen.start()
  opened.add(screen)
  const drawn = async () => {
    screen.renderNow()
    await terminal.screen.write('')
    return terminal.screen
  }
  return { terminal, screen, drawn }
}

const answer = `# Report

The **first** paragraph has \`code\` and a [link](https://example.org/a).

- one
- two

  with more

- three

1. first

2. second

\`\`\`ts
const a = 1

- no list
\`\`\`

| Name | 名字 |
|---|---|
| Anna | 安娜 |
| Bert | 数据库 |

> quoted
> twice

1986 was a year. 👋🏽 emoji

**Bold** end`

async function streamed(text: string, cuts: readonly number[], rows: number): Promise<string> {
  const { screen, drawn } = open(60, rows)
  const stream = new AnswerStream(screen, theme, { gap: false })
  const places = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
  for (const [index, place] of places.slice(1).entries()) {
    stream.push(text.slice(places[index], place))
    await drawn()
  }
  stream.end()
  const seen = await drawn()
  screen.stop()
  opened.delete(screen)
  return seen.history()
}

test('an answer that came in pieces looks like the same answer that came whole', async () => {
  const whole = await streamed(answer, [], 80)
  assert.match(whole, /The first paragraph has code and a link\s\(https:\/\/example\.org\/a\)\./)
  assert.match(whole, /│ Bert │ 数据库 │/)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(2000), { maxLength: 30 }), fc.constantFrom(9, 80), async (cuts, rows) => {
      assert.equal(await streamed(answer, cuts, rows), whole)
    }),
    { numRuns: 40 },
  )
})

test('piece by piece, character by character, on a small screen, too', async () => {
  const cuts = Array.from({ length: answer.length }, (_, index) => index)
  assert.equal(await streamed(answer, cuts, 9), await streamed(answer, [], 80))
})

test('an answer is taken out again while all of it is on the screen', async () => {
  const { screen, drawn } = open(60, 20)
  screen.append(new TextBlock('before'))
  const stream = new AnswerStream(screen, theme, { gap: true })
  stream.push('one\n\ntwo\n\nthr')
  await drawn()
  assert.equal(stream.remove(), true)
  const seen = await drawn()
  assert.equal(seen.text(), 'before\n>')
})

test('a long line of wide characters and emoji stays within the width', async () => {
  const { screen, drawn } = open(21, 12)
  const stream = new AnswerStream(screen, theme, { gap: false })
  stream.push('数据库很好用👋🏽👨‍👩‍👧，查询也很快。')
  stream.end()
  const seen = await drawn()
  assert.match(seen.text().replaceAll('\n', ''), /数据库很好用.*查询也很快。>/)
})
