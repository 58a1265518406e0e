import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createReasoningSplitter } from './inline-reasoning.ts'

/** What a text comes to when it arrives in these pieces. */
function split(pieces: readonly string[]): { text: string; reasoning: string } {
  const splitter = createReasoningSplitter()
  const found = [...pieces.flatMap((piece) => splitter.feed(piece)), ...splitter.end()]
  const join = (type: string) => found.flatMap((piece) => (piece.type === type ? [piece.text] : [])).join('')
  return { text: join('text'), reasoning: join('reasoning') }
}

const cases: readonly [string, string, string][] = [
  ['plain text', 'plain text', ''],
  ['<think>why</think>\n\nBecause.', 'Because.', 'why'],
  ['\n<thinking>a</thinking> <think>b</think>c', 'c', 'ab'],
  ['<REASONING_SCRATCHPAD>x</REASONING_SCRATCHPAD>y', 'y', 'x'],
  ['<think>\n\n</think>\n\nHi', 'Hi', '\n\n'],
  ['<think>never closed', '', 'never closed'],
  ['<think>a < b </thin</think>c', 'c', 'a < b </thin'],
  ['The tag <think>x</think> stays.', 'The tag <think>x</think> stays.', ''],
  ['<thin', '<thin', ''],
  ['  \n', '  \n', ''],
  ['<thumb>x', '<thumb>x', ''],
]
for (const [input, text, reasoning] of cases) {
  test(`${JSON.stringify(input)} is ${JSON.stringify(text)} with the reasoning ${JSON.stringify(reasoning)}`, () => {
    assert.deepEqual(split([input]), { text, reasoning })
    assert.deepEqual(split(Array.from(input)), { text, reasoning }, 'letter by letter')
  })
}

test('text passes as it comes once it is known to be text', () => {
  const splitter = createReasoningSplitter()
  assert.deepEqual(splitter.feed('H'), [{ type: 'text', text: 'H' }])
  assert.deepEqual(splitter.feed('i <think>'), [{ type: 'text', text: 'i <think>' }])
})

test('nothing is lost, and it does not matter where the text is cut', () => {
  const piece = fc.constantFrom('<think>', '</think>', '<', 'think', '>', '/', ' ', '\n', 'a', '思')
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const whole = pieces.join('')
      assert.deepEqual(split(pieces), split([whole]))
      const { text, reasoning } = split([whole])
      const bare = (value: string): string => value.replaceAll(/<\/?think>|\s/g, '')
      // Each by itself: what was between them is gone, and joined they may spell a tag that was never there.
      assert.equal(bare(reasoning) + bare(text), bare(whole))
    }),
  )
})
