import type { Transform } from 'node:stream'
import type * as Zlib from 'node:zlib'
import { TransportError } from './transport-error.ts'

// We ask for no coding, but servers and proxies between code answers all the same.

/** Most bytes that one piece from the network may become, and all of an answer: against what is made to fill memory. */
const maxPieceBytes = 16 * 1024 * 1024
const maxBodyBytes = 128 * 1024 * 1024

/** Codings of one answer; more are a mistake or an attack. */
const mostCodings = 3

/**
 * The body without its content codings (RFC 9110, section 8.4), each piece as soon as it can be read. Throws
 * `TransportError`, and what `body` throws, after what came before it. An end that is missing is left to the reader.
 */
export function decodeBody(
  body: AsyncIterable<Uint8Array>,
  contentEncoding: string | undefined,
  host: string,
): AsyncIterable<Uint8Array> {
  const codings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length === 0) return body
  if (codings.length > mostCodings) {
    throw new TransportError('refused', `${host} answers in ${codings.length} codings, one in another`)
  }
  // The last one was applied last.
  return codings.reduceRight((coded, coding) => decoded(coded, coding, host), body)
}

async function* decoded(
  body: AsyncIterable<Uint8Array>,
  coding: string,
  host: string,
): AsyncGenerator<Uint8Array, undefined> {
  let decoder: Decoder | undefined
  try {
    for await (const piece of body) {
      if (piece.length === 0) continue
      decoder ??= openDecoder(coding, piece, host)
      yield* await decoder.write(piece)
    }
    if (decoder) yield* await decoder.end()
  } finally {
    decoder?.close()
  }
}

interface Decoder {
  /** What the next piece completes. */
  write(piece: Uint8Array): Promise<readonly Uint8Array[]>
  end(): Promise<readonly Uint8Array[]>
  close(): void
}

function openDecoder(coding: string, first: Uint8Array, host: string): Decoder {
  // Loaded by the first answer that needs it.
  const stream = transformFor(coding, first, process.getBuiltinModule('node:zlib'))
  if (!stream) throw new TransportError('refused', `${host} answers in a coding that nobody here reads (${coding})`)
  let ready: Uint8Array[] = []
  let pieceBytes = 0
  let bodyBytes = 0
  let failure: TransportError | undefined
  const fail = (error: TransportError): void => {
    failure ??= error
    stream.destroy()
  }
  stream.on('data', (bytes: Uint8Array) => {
    pieceBytes += bytes.length
    bodyBytes += bytes.length
    if (pieceBytes > maxPieceBytes || bodyBytes > maxBodyBytes) {
      fail(new TransportError('refused', `${host} sent an answer that unpacks to more than any answer has`))
    } else ready.push(bytes)
  })
  stream.on('error', (cause: NodeJS.ErrnoException) => {
    fail(new TransportError('unreachable', `${host} sent a damaged answer (${cause.code ?? coding})`, { cause }))
  })
  // What comes behind the end of what was packed is left out: writing it would have no end.
  let isOver = false
  const over = new Promise<void>((resolve) => {
    const end = (): void => {
      isOver = true
      resolve()
    }
    stream.once('end', end).once('close', end)
  })
  const step = async (act: (done: () => void) => void): Promise<readonly Uint8Array[]> => {
    if (!isOver) await Promise.race([new Promise<void>(act), over])
    if (failure) throw failure
    const bytes = ready
    ready = []
    pieceBytes = 0
    return bytes
  }
  return {
    write: (piece) => step((done) => stream.write(piece, () => done())),
    end: () => step((done) => stream.end(done)),
    close: () => void stream.destroy(),
  }
}

/** Flushing: what can be read is read, and a missing end is none of our business. */
function transformFor(coding: string, first: Uint8Array, zlib: typeof Zlib): Transform | undefined {
  const { constants } = zlib
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
  const flushBrotli = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }
  const flushZstd = { flush: constants.ZSTD_e_flush, finishFlush: constants.ZSTD_e_flush }
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(flush)
    case 'deflate':
      // Some send it without the frame that it should have, which begins with the method 8.
      return ((first[0] ?? 0) & 0x0f) === 8 ? zlib.createInflate(flush) : zlib.createInflateRaw(flush)
    case 'br':
      return zlib.createBrotliDecompress(flushBrotli)
    case 'zstd':
      return zlib.createZstdDecompress(flushZstd)
    default:
      return undefined
  }
}
