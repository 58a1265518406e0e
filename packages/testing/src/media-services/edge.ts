// What is known of the service that reads pages aloud in Microsoft's browser: https://github.com/rany2/edge-tts
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { acceptWebSocket } from './web-socket-server.ts'

export interface StandInEdge extends AsyncDisposable {
  /** `ws://…` */
  readonly url: string
  /** The SSML of every text that it was to speak. */
  readonly spoken: readonly string[]
  /** Every connection meets this from now on. */
  readonly misbehave: (how: 'refuse' | 'drop' | 'hang' | 'silent' | undefined) => void
}

/** Speaks by sending `MP3(number of the request)`, in two messages. */
export async function startEdge(): Promise<StandInEdge> {
  const spoken: string[] = []
  const streams = new Set<Duplex>()
  let fault: Parameters<StandInEdge['misbehave']>[0]
  const server = createServer((_, response) => response.writeHead(404).end())
  server.on('upgrade', (request, stream) => {
    streams.add(stream)
    const { searchParams: query } = new URL(request.url ?? '/', 'http://edge')
    const token = query.get('TrustedClientToken') ?? ''
    if (fault === 'refuse' || !validTokens(token).includes(query.get('Sec-MS-GEC') ?? '')) {
      stream.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
      return
    }
    acceptWebSocket(request, stream, (text, socket) => {
      if (!/^Path:ssml\r$/m.test(text) || fault === 'hang') return
      const ssml = text.split('\r\n\r\n').slice(1).join('\r\n\r\n')
      spoken.push(ssml)
      const id = /^X-RequestId:(\S+)/m.exec(text)?.[1]
      const told = (path: string) => `X-RequestId:${id}\r\nContent-Type:application/json\r\nPath:${path}\r\n\r\n{}`
      socket.send(told('turn.start'))
      if (fault === 'drop') {
        stream.destroy()
        return
      }
      if (fault !== 'silent') {
        socket.send(audio(id, `MP3(${spoken.length}`))
        socket.send(audio(id, ')'))
      }
      socket.send(told('turn.end'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    url: `ws://127.0.0.1:${port}/edge/v1`,
    spoken,
    misbehave: (how) => {
      fault = how
    },
    async [Symbol.asyncDispose]() {
      for (const stream of streams) stream.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function audio(id: string | undefined, words: string): Buffer {
  const head = Buffer.from(`X-RequestId:${id}\r\nContent-Type:audio/mpeg\r\nPath:audio\r\n`)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(head.length)
  return Buffer.concat([length, head, Buffer.from(words)])
}

/** Of the five minutes now and before. */
function validTokens(client: string): readonly string[] {
  const ticks = (BigInt(Date.now()) + 11_644_473_600_000n) * 10_000n
  const step = 3_000_000_000n
  return [0n, step].map((back) => {
    const from = ticks - back
    return createHash('sha256')
      .update(`${from - (from % step)}${client}`)
      .digest('hex')
      .toUpperCase()
  })
}
