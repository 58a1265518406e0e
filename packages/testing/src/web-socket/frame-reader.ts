/** A part of what one side of a WebSocket sends: a whole frame, or what is none (the handshake, other HTTP). */
export interface Piece {
  readonly bytes: Buffer
  readonly isFrame: boolean
}

/** Cuts what one side sends into frames (RFC 6455, 5.2), wherever the network has cut it. */
export interface FrameReader {
  read(chunk: Buffer): readonly Piece[]
}

const headEnd = Buffer.from('\r\n\r\n')

export function createFrameReader(): FrameReader {
  let waiting: Buffer = Buffer.alloc(0)
  let state: 'head' | 'frames' | 'other' = 'head'
  return {
    read(chunk) {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      const pieces: Piece[] = []
      const take = (length: number, isFrame: boolean) => {
        pieces.push({ bytes: waiting.subarray(0, length), isFrame })
        waiting = waiting.subarray(length)
      }
      if (state === 'head') {
        const end = waiting.indexOf(headEnd)
        if (end < 0) return pieces
        const head = waiting.toString('latin1', 0, end)
        const isWebSocket = head.startsWith('HTTP/1.1 101 ') || /^upgrade: *websocket/im.test(head)
        state = isWebSocket ? 'frames' : 'other'
        take(end + headEnd.length, false)
      }
      if (state === 'other') {
        if (waiting.length > 0) take(waiting.length, false)
        return pieces
      }
      for (let length = frameLength(waiting); length !== undefined; length = frameLength(waiting)) take(length, true)
      return pieces
    },
  }
}

/** Length of the frame that the bytes begin with; undefined where it is not whole yet. */
function frameLength(bytes: Buffer): number | undefined {
  if (bytes.length < 2) return undefined
  const second = bytes.readUInt8(1)
  const short = second & 0x7f
  const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0
  const headLength = 2 + sizeBytes + (second & 0x80 ? 4 : 0)
  if (bytes.length < headLength) return undefined
  const payload = sizeBytes === 2 ? bytes.readUInt16BE(2) : sizeBytes === 8 ? Number(bytes.readBigUInt64BE(2)) : short
  const length = headLength + payload
  return bytes.length >= length ? length : undefined
}
