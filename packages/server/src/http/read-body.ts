import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { isDeeperThan, mostDepth } from '@hermes/core/text/json-depth.ts'
import { HttpError } from './http-error.ts'

/** The whole body, at most `maxBytes` of it, however it is framed. Throws `HttpError`. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const pieces: Buffer[] = []
  let size = 0
  request.on('data', (piece: Buffer) => {
    size += piece.length
    if (size > maxBytes) {
      pieces.length = 0
      request.pause()
      reject(tooLarge(maxBytes))
    } else pieces.push(piece)
  })
  request.once('end', () => resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)))
  request.once('error', reject)
  request.once('close', () => {
    if (request.complete) return
    reject(new HttpError(400, 'incomplete_body', 'The body ended before it was complete.'))
  })
  return promise
}

const byteOrderMark = '\ufeff'

/** The body as JSON. Throws `HttpError`. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const { 'content-encoding': packed = 'identity' } = request.headers
  if (packed !== 'identity') throw new HttpError(415, 'unsupported_encoding', 'Send the body as it is, not compressed.')
  const body = await readBody(request, maxBytes)
  // What is read wrongly would be answered, as if somebody had written it.
  if (!isUtf8(body)) throw new HttpError(400, 'invalid_encoding', 'The body is not UTF-8.')
  const value = parseJson(body.toString('utf8'))
  if (isDeeperThan(value, mostDepth)) {
    throw new HttpError(400, 'too_deep', `The body has more than ${mostDepth} lists and objects in each other.`)
  }
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(byteOrderMark) ? text.slice(1) : text)
  } catch (error) {
    throw new HttpError(400, 'invalid_json', 'The body is not valid JSON.', { cause: error })
  }
}

function tooLarge(maxBytes: number): HttpError {
  // What is left of the body is not read, so the connection is of no further use.
  const headers = { connection: 'close' }
  return new HttpError(413, 'body_too_large', `The body has more than ${maxBytes} bytes.`, { headers })
}
