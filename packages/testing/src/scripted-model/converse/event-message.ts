import { crc32 } from 'node:zlib'

/** One message of Amazon's event-stream framing: headers that are texts, and a JSON payload. */
export function eventMessage(headers: Readonly<Record<string, string>>, payload: unknown): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => headerBytes(name, value)))
  const body = Buffer.from(JSON.stringify(payload))
  const prelude = Buffer.alloc(8)
  prelude.writeUInt32BE(12 + head.length + body.length + 4, 0)
  prelude.writeUInt32BE(head.length, 4)
  const checked = Buffer.concat([prelude, checksum(prelude), head, body])
  return Buffer.concat([checked, checksum(checked)])
}

/** A text has the type 7. */
function headerBytes(name: string, value: string): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(Buffer.byteLength(value))
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)])
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(bytes))
  return sum
}
