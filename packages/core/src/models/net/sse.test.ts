import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createSseParser } from './sse.ts'
import type { SseEvent } from './sse.ts'

function parse(pieces: readonly Uint8Array[]): SseEvent[] {
  const parser = createSseParser()
  return [...pieces.flatMap((piece) => parser.feed(piece)), ...parser.end()]
}

function parseText(text: string): SseEvent[] {
  return parse([Buffer.from(text)])
}

const cases: readonly [string, string, readonly SseEvent[]][] = [
  ['data', 'data: a\n\n', [{ event: 'message', data: 'a' }]],
  ['data without a space', 'data:a\n\n', [{ event: 'message', data: 'a' }]],
  ['several lines of data', 'data: a\ndata:  b\n\n', [{ event: 'message', data: 'a\n b' }]],
  ['a named event', 'event: error\ndata: a\n\n', [{ event: 'error', data: 'a' }]],
  ['comments, ids and retry times', ': hi\nid: 1\nretry: 5\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
  ['an event without data', 'event: ping\n\ndata: a\n\n', [{ event: 'message', data: 'a' }]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [{ event: 'message', data: 'a' }]],
  ['a missing last blank line', 'data: a\n\ndata: b', ['a', 'b'].map((data) => ({ event: 'message', data }))],
]
for (const [what, text, events] of cases) {
  test(`${what}: line feeds, returns and both end a line`, () => {
    for (const lineEnd of ['\n', '\r', '\r\n']) assert.deepEqual(parseText(text.replaceAll('\n', lineEnd)), events)
  })
}

const line = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, ' ')}`),
  fc.constantFrom('', ': comment', 'event: x', 'data', 'id: 7'),
)

test('it does not matter where the stream is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n'))),
      fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
      (lines, sizes) => {
        const bytes = Buffer.from(lines.map(([text, end]) => text + end).join(''))
        const pieces: Uint8Array[] = []
        for (let at = 0; at < bytes.length;) {
          const size = sizes.next().value
          pieces.push(bytes.subarray(at, at + size))
          at += size
        }
        assert.deepEqual(parse(pieces), parse([bytes]))
      },
    ),
  )
})
