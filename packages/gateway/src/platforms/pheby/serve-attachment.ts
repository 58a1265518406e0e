import { open } from 'node:fs/promises'
import { constants } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { clientAddress } from '../../http/client-address.ts'
import type { LockOut } from '../../http/lock-out.ts'
import { isSameSecret } from '../../http/same-secret.ts'
import { pathOf } from '../../http/socket-server.ts'
import type { Attachments } from './attachments.ts'
import { byteRange } from './byte-range.ts'

export interface AttachmentRoute {
  readonly attachments: Attachments
  readonly secret: string
  /** Of those who try secrets here. */
  readonly lockOut: LockOut
}

/** `GET /attachments/{id}`; everything else is not here. */
export async function serveAttachment(
  request: IncomingMessage,
  response: ServerResponse,
  { attachments, secret, lockOut }: AttachmentRoute,
): Promise<void> {
  const path = pathOf(request)
  if (path === '/ws')
    return refuse(response, 426, 'bad_request', 'A WebSocket is opened here', { upgrade: 'websocket' })
  const id = /^\/attachments\/([^/]+)$/.exec(path)?.[1]
  if (id === undefined) return refuse(response, 404, 'not_found', 'There is nothing here')
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse(response, 405, 'bad_request', 'Attachments are fetched by GET', { allow: 'GET, HEAD' })
  }
  const address = clientAddress(request)
  if (lockOut.isLocked(address)) return refuse(response, 429, 'rate_limited', 'Too many wrong secrets')
  if (!isAllowed(request, secret)) {
    lockOut.failed(address)
    return refuse(response, 401, 'unauthorized', 'The secret is missing or wrong', { 'www-authenticate': 'Bearer' })
  }
  const found = await attachments.find(id)
  if (!found) return unavailable(response)
  const { stored } = found
  let file
  try {
    file = await open(found.path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP')) {
      return unavailable(response)
    }
    throw error
  }
  await using copy = file
  const { size } = await copy.stat()
  const range = byteRange(request.headers.range, size)
  const headers = {
    'content-type': stored.mimeType,
    'content-disposition': `attachment; filename*=UTF-8''${encodeName(stored.filename)}`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  }
  if (range === 'unsatisfiable') {
    response.writeHead(416, { ...headers, 'content-range': `bytes */${size}`, 'content-length': 0 }).end()
    return
  }
  const { start, end } = range ?? { start: 0, end: size - 1 }
  response.writeHead(range ? 206 : 200, {
    ...headers,
    'content-length': end - start + 1,
    ...(range && { 'content-range': `bytes ${start}-${end}/${size}` }),
  })
  if (request.method === 'HEAD' || size === 0) {
    response.end()
    return
  }
  await pipeline(copy.createReadStream({ start, end }), response)
}

/** Any of the three headers that clients send. */
function isAllowed({ headers }: IncomingMessage, secret: string): boolean {
  const bearer = /^(?:Bearer|ApiKey)\s+(.+)$/i.exec(headers.authorization ?? '')?.[1]
  const own = headers['x-pheby-secret']
  const given = [bearer, typeof own === 'string' ? own : undefined].filter((one) => one !== undefined)
  return given.some((one) => isSameSecret(one.trim(), secret))
}

/** One answer for what there never was, what is over and what is no id: nothing is to be learnt from it. */
function unavailable(response: ServerResponse): void {
  refuse(response, 404, 'not_found', 'Attachment unavailable')
}

function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers })
  response.end(JSON.stringify({ error: { code, message } }))
}

/** As RFC 8187 wants a name that is no ASCII. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}
