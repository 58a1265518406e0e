// A web socket's server side (RFC 6455), as far as a stand-in needs it: frames of one piece, no extensions.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

export interface ServerSocket {
  send(data: string | Uint8Array): void
  close(): void
}

/** Takes an upgrade and hands over each text that comes. */
export function acceptWebSocket(
  request: IncomingMessage,
  stream: Duplex,
  onText: (text: string, socket: ServerSocket) => void,
): ServerSocket {
  const key = request.headers['sec-websocket-key'] ?? ''
  const accept = createHash('sha1').update(`${key}${guid}`).digest('base64')
  stream.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  const socket: ServerSocket = {
    send: (data) => void stream.write(frame(typeof data === 'string' ? 1 : 2, Buffer.from(data))),
    close: () => void stream.end(frame(8, Buffer.from([0x03, 0xe8]))),
  }
  let waiting = Buffer.alloc(0)
  stream.on('error', () => stream.destroy())
  stream.on('data', (bytes: Buffer) => {
    waiting = Buffer.concat([waiting, bytes])
    for (let next = takeFrame(waiting); next; next = takeFrame(waiting)) {
      waiting = waiting.subarray(next.length)
      if (next.code === 1) onText(next.payload.toString('utf8'), socket)
      if (next.code === 8) socket.close()
      if (next.code === 9) stream.write(frame(10, next.payload))
    }
  })
  return socket
}

function frame(code: number, payload: Buffer): Buffer {
  const head = payload.length < 126 ? Buffer.from([0x80 | code, payload.length]) : Buffer.alloc(4)
  if (payload.length >= 126) {
    head[0] = 0x80 | code
    head[1] = 126
    head.writeUInt16BE(payload.length, 2)
  }
  return Buffer.concat([head, payload])
}

/** A whole frame of a client, which masks what it sends; undefined where more must come. */
function takeFrame(bytes: Buffer) {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] ?? 0) & 0x7f
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0
  const start = 2 + extra + 4
  if (bytes.length < start) return undefined
  const size = extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (bytes.length < start + size) return undefined
  const mask = bytes.subarray(start - 4, start)
  const payload = Buffer.from(bytes.subarray(start, start + size).map((byte, at) => byte ^ (mask[at % 4] ?? 0)))
  return { code: (bytes[0] ?? 0) & 0x0f, payload, length: start + size }
}
