import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createFrameReader } from './frame-reader.ts'

/** A frame as RFC 6455, 5.2 has it. */
function frame(size: number, isMasked: boolean): Buffer {
  const head =
    size < 126
      ? Buffer.from([0x82, size])
      : size < 65_536
        ? Buffer.from([0x82, 126, size >> 8, size & 0xff])
        : Buffer.concat([Buffer.from([0x82, 127]), Buffer.from(size.toString(16).padStart(16, '0'), 'hex')])
  if (isMasked) head[1] = (head[1] ?? 0) | 0x80
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0, 1), Buffer.alloc(size, 7)])
}

test('frames are found wherever the network has cut what is sent', () => {
  const sizes = fc.array(fc.oneof(fc.nat(200), fc.constantFrom(125, 126, 65_535, 65_536, 70_000)), { maxLength: 6 })
  const isMasked = fc.boolean()
  fc.assert(
    fc.property(
      sizes,
      isMasked,
      fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1 }),
      (all, masked, cuts) => {
        const head = Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n')
        const frames = all.map((size) => frame(size, masked))
        let rest = Buffer.concat([head, ...frames])
        const reader = createFrameReader()
        const pieces: { readonly bytes: Buffer; readonly isFrame: boolean }[] = []
        for (let at = 0; rest.length > 0; at++) {
          const length = cuts[at % cuts.length] ?? 1
          pieces.push(...reader.read(rest.subarray(0, length)))
          rest = rest.subarray(length)
        }
        assert.deepEqual(
          pieces.map(({ bytes, isFrame }) => [bytes.length, isFrame]),
          [[head.length, false], ...frames.map(({ length }) => [length, true])],
        )
      },
    ),
    { numRuns: 60, seed: 7 },
  )
})

test('what is no WebSocket passes as it is', () => {
  const reader = createFrameReader()
  const said = ['HTTP/1.1 200 OK\r\n', '\r\nbo', 'dy']
  const passed = said.flatMap((text) => reader.read(Buffer.from(text)))
  assert.equal(passed.map(({ bytes }) => bytes.toString()).join(''), said.join(''))
  assert.ok(passed.every(({ isFrame }) => !isFrame))
})
