import type { IncomingMessage } from 'node:http'
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

/** The body as JSON. Throws `HttpError`. */
export async function readJson(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const body = await readBody(request, maxBytes)
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    throw new HttpError(400, 'invalid_json', 'The body is not valid JSON.', { cause: error })
  }
}

function tooLarge(maxBytes: number): HttpError {
  // What is left of the body is not read, so the connection is of no further use.
  const headers = { connection: 'close' }
  return new HttpError(413, 'body_too_large', `The body has more than ${maxBytes} bytes.`, { headers })
}
