import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { decodedLength, decodePieces, encodeInto, isBase64 } from './base64-bytes.ts'

test('bytes to base64 and back are what Node makes of them', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(9), (data, start) => {
      const target = Buffer.alloc(start + Math.ceil(data.length / 3) * 4 + 3)
      const end = encodeInto(target, start, data)
      const encoded = target.subarray(start, end)
      assert.equal(encoded.toString('latin1'), Buffer.from(data).toString('base64'))
      assert.ok(target.subarray(end).every((byte) => byte === 0))
      assert.ok(isBase64(encoded))
      assert.equal(decodedLength(encoded), data.length)
      assert.deepEqual(Buffer.concat([...decodePieces(encoded)].map((piece) => Buffer.from(piece))), Buffer.from(data))
    }),
    { seed: 7 },
  )
})
