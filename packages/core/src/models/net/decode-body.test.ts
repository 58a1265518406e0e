import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as zlib from 'node:zlib'
import * as fc from 'fast-check'
import { decodeBody } from './decode-body.ts'

const codings = {
  gzip: [zlib.gzipSync, zlib.createGzip],
  'x-gzip': [zlib.gzipSync, zlib.createGzip],
  deflate: [zlib.deflateSync, zlib.createDeflate],
  br: [zlib.brotliCompressSync, zlib.createBrotliCompress],
  zstd: [zlib.zstdCompressSync, zlib.createZstdCompress],
} as const

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString()
}

for (const [coding, [pack]] of Object.entries(codings)) {
  test(`what is packed as ${coding} is unpacked, however it is cut`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 500 }),
        fc.integer({ min: 1, max: 64 }),
        async (text, size) => {
          assert.equal(await textOf(decodeBody(inPieces(pack(text), size), coding, 'host')), text)
        },
      ),
      { numRuns: 20 },
    )
  })
}

for (const [coding, [, create]] of Object.entries(codings)) {
  test(`each event of a stream can be read when it has come: ${coding}`, async () => {
    const packer = create()
    const packed: Buffer[] = []
    packer.on('data', (bytes: Buffer) => packed.push(bytes))
    let sent = 0
    const body = async function* () {
      for (const event of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
        packer.write(event)
        await new Promise<void>((resolve) => packer.flush(resolve))
        sent++
        yield Buffer.concat(packed.splice(0))
      }
    }
    const read: string[] = []
    for await (const bytes of decodeBody(body(), coding, 'host'))
      read.push(`${sent}: ${String(Buffer.from(bytes)).trim()}`)
    assert.deepEqual(read, ['1: data: 1', '2: data: 2', '3: data: 3'])
  })
}

test('a body in no coding, in several, and raw deflate are read', async () => {
  const plain = inPieces(Buffer.from('x'), 1)
  assert.equal(decodeBody(plain, undefined, 'host'), plain)
  assert.equal(decodeBody(plain, 'identity', 'host'), plain)
  const twice = zlib.brotliCompressSync(zlib.gzipSync('hello'))
  assert.equal(await textOf(decodeBody(inPieces(twice, 3), 'gzip, br', 'host')), 'hello')
  assert.equal(await textOf(decodeBody(inPieces(zlib.deflateRawSync('hello'), 3), 'Deflate', 'host')), 'hello')
  assert.equal(await textOf(decodeBody(inPieces(Buffer.alloc(0), 1), 'gzip', 'host')), '')
})

test('an answer that unpacks to far more than it is is stopped, before it fills the memory', async () => {
  for (const coding of ['gzip', 'br', 'zstd'] as const) {
    const bomb = codings[coding][0](Buffer.alloc(64 * 1024 * 1024))
    let most = 0
    const reading = (async () => {
      for await (const bytes of decodeBody(inPieces(bomb, bomb.length), coding, 'host')) most += bytes.length
    })()
    await assert.rejects(reading, { name: 'TransportError', failure: 'refused', message: /unpacks to more/ })
    assert.equal(most, 0)
  }
  // Piece by piece, until the whole is too much.
  const bomb = zlib.gzipSync(Buffer.alloc(130 * 1024 * 1024))
  await assert.rejects(
    (async () => {
      for await (const bytes of decodeBody(inPieces(bomb, 1024), 'gzip', 'host')) assert.ok(bytes.length < 1024 * 1024)
    })(),
    /unpacks to more/,
  )
})

test('what is damaged, or in a coding that nobody knows, is told', async () => {
  const packed = zlib.gzipSync('hello')
  const damaged = { name: 'TransportError', failure: 'unreachable', message: /^host sent a damaged answer \(/ }
  for (const coding of Object.keys(codings)) {
    const nonsense = Buffer.from('\xff\xfenonsense that nothing unpacks \xff\xff', 'latin1')
    await assert.rejects(textOf(decodeBody(inPieces(nonsense, 5), coding, 'host')), damaged)
  }
  const unknown = { failure: 'refused', message: /coding that nobody here reads \(compress\)/ }
  await assert.rejects(textOf(decodeBody(inPieces(packed, 5), 'compress', 'host')), unknown)
  assert.throws(() => decodeBody(inPieces(packed, 5), 'gzip, gzip, gzip, gzip', 'host'), /4 codings/)
})

test('what follows the end of what was packed is left out', async () => {
  for (const [coding, [pack]] of Object.entries(codings)) {
    if (coding.includes('gzip')) continue
    const body = Buffer.concat([pack('hello'), Buffer.from('more and more')])
    assert.match(await textOf(decodeBody(inPieces(body, 100), coding, 'host')).catch(String), /^hello|damaged/)
    assert.match(await textOf(decodeBody(inPieces(body, 4), coding, 'host')).catch(String), /^hello|damaged/)
  }
})

test('a body that breaks off is read as far as it came', async () => {
  const broken = new Error('broken')
  const body = async function* () {
    const packed = zlib.gzipSync('a'.repeat(50) + Math.PI)
    yield packed.subarray(0, packed.length - 9)
    throw broken
  }
  const read: Uint8Array[] = []
  await assert.rejects(
    (async () => {
      for await (const bytes of decodeBody(body(), 'gzip', 'host')) read.push(bytes)
    })(),
    (error) => error === broken,
  )
  assert.match(Buffer.concat(read).toString(), /^a{40}/)
})
