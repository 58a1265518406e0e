import type { Readable, Transform } from 'node:stream'
import { NetworkError } from './network-error.ts'

/** How often a body may be packed. */
const maxCodings = 2

/** Both sizes are bounded by this, bytes: as it comes and as it is unpacked. */
export interface BodyLimits {
  readonly maxBytes: number
  readonly host: string
}

/** The bytes of an answer, unpacked as they come. Throws `NetworkError` `too-large` or `encoding`. */
export async function* unpackBody(
  packed: Readable,
  contentEncoding: string,
  { maxBytes, host }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > maxCodings) throw new NetworkError('encoding', `The answer of ${host} is packed too often`)
  const { pipeline } = await import('node:stream')
  const steps = await Promise.all(codings.toReversed().map((coding) => unpacker(coding, host)))
  const counted = boundedIterable(packed, maxBytes, host)
  if (steps.length === 0) return yield* counted
  // The failure of any step reaches the reader of the last one.
  const { Readable } = await import('node:stream')
  const source = Readable.from(counted, { objectMode: false })
  const last = pipeline([source, ...steps], () => source.destroy()) as unknown as Readable
  try {
    yield* boundedIterable(last, maxBytes, host)
  } catch (error) {
    if (isUnpackingError(error)) {
      throw new NetworkError('encoding', `The answer of ${host} cannot be unpacked`, { cause: error })
    }
    throw error
  } finally {
    source.destroy()
    for (const step of steps) step.destroy()
  }
}

async function* boundedIterable(bytes: Readable, maxBytes: number, host: string): AsyncGenerator<Buffer> {
  let total = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    total += chunk.length
    if (total > maxBytes) throw new NetworkError('too-large', `The answer of ${host} is larger than ${maxBytes} bytes`)
    yield chunk
  }
}

async function unpacker(coding: string, host: string): Promise<Transform> {
  const zlib = await import('node:zlib')
  if (coding === 'gzip' || coding === 'x-gzip') return zlib.createGunzip()
  if (coding === 'deflate') return zlib.createInflate()
  if (coding === 'br') return zlib.createBrotliDecompress()
  if (coding === 'zstd') return zlib.createZstdDecompress()
  throw new NetworkError('encoding', `The answer of ${host} is packed in an unknown way`)
}

function isUnpackingError(error: unknown): boolean {
  const { code = '' } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  return /^(?:Z_|ERR__ERROR|ERR_|ZSTD_)/.test(code)
}
