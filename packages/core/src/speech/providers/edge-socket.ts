import { randomBytes } from 'node:crypto'
import type { ErrorEvent, MessageEvent, WebSocket as Socket } from 'undici'
import type { Environment } from '../../agent/context.ts'
import { proxyFor } from '../../security/network/proxy-for.ts'
import { ServiceError } from '../../services/service-error.ts'

export interface SpeechSocket {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly ssml: string
  readonly environment: Environment
}

/** Pieces that may wait for their reader: more than a whole text has. */
const maxWaiting = 10_000

/** Speaks one text over a connection of its own; yields the audio. Throws `ServiceError`, or the signal's reason. */
export async function* openSpeechSocket(
  { url, headers, ssml, environment }: SpeechSocket,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  signal.throwIfAborted()
  const { WebSocket, ProxyAgent } = await import('undici')
  const proxy = proxyOf(url, environment)
  const dispatcher = proxy === undefined ? undefined : new ProxyAgent({ uri: proxy, connections: 1 })
  const socket = new WebSocket(url, { headers: { ...headers }, ...(dispatcher && { dispatcher }) })
  socket.binaryType = 'arraybuffer'
  const waiting: Buffer[] = []
  // Changed by what the socket tells, which the type would not show.
  let state = 'open' as 'open' | 'done' | Error
  let wake = Promise.withResolvers<void>()
  const change = (next?: typeof state) => {
    if (next !== undefined && state === 'open') state = next
    wake.resolve()
  }
  const stop = () => change(signal.reason instanceof Error ? signal.reason : new Error('stopped'))
  signal.addEventListener('abort', stop, { once: true })
  socket.addEventListener('open', () => order(socket, ssml))
  socket.addEventListener('error', (event: ErrorEvent) => change(unreachable(event)))
  socket.addEventListener('close', () => change(new ServiceError('unreachable', 'Edge ended the connection too soon.')))
  socket.addEventListener('message', ({ data }: MessageEvent) => {
    if (typeof data === 'string') {
      if (pathOf(data) === 'turn.end') change('done')
      return
    }
    // `binaryType` says so.
    const audio = audioIn(Buffer.from(data as ArrayBuffer))
    if (audio.length > 0) waiting.push(audio)
    change(
      waiting.length > maxWaiting ? new ServiceError('too-large', 'Edge sent more audio than is taken.') : undefined,
    )
  })
  try {
    for (;;) {
      yield* waiting.splice(0)
      if (state !== 'open') break
      await wake.promise
      wake = Promise.withResolvers()
    }
    signal.throwIfAborted()
    if (state instanceof Error) throw state
  } finally {
    signal.removeEventListener('abort', stop)
    socket.close()
    await dispatcher?.close()
  }
}

function proxyOf(address: string, environment: Environment): string | undefined {
  const url = new URL(address.replace(/^ws/, 'http'))
  return proxyFor(
    { url, hostname: url.hostname, port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)) },
    environment,
  )
}

function order(socket: Socket, ssml: string): void {
  const time = new Date().toISOString()
  const audio = {
    metadataoptions: { sentenceBoundaryEnabled: 'false', wordBoundaryEnabled: 'false' },
    outputFormat: 'audio-24khz-48kbitrate-mono-mp3',
  }
  const config = JSON.stringify({ context: { synthesis: { audio } } })
  socket.send(
    message({ 'X-Timestamp': time, 'Content-Type': 'application/json; charset=utf-8', Path: 'speech.config' }, config),
  )
  const id = randomBytes(16).toString('hex')
  socket.send(
    message({ 'X-RequestId': id, 'Content-Type': 'application/ssml+xml', 'X-Timestamp': time, Path: 'ssml' }, ssml),
  )
}

function message(headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\r\n`)
  return `${lines.join('')}\r\n${body}`
}

/** Messages begin with headers; one names what they are. */
function pathOf(text: string): string | undefined {
  return /(?:^|\r\n)path:\s*([\w.]+)/i.exec(text.split('\r\n\r\n')[0] ?? '')?.[1]
}

/** The audio of a binary message: behind its headers, whose length stands in its first two bytes. */
function audioIn(bytes: Buffer): Buffer {
  if (bytes.length < 2) return Buffer.alloc(0)
  const start = 2 + bytes.readUInt16BE(0)
  return pathOf(bytes.toString('latin1', 2, start)) === 'audio' ? bytes.subarray(start) : Buffer.alloc(0)
}

function unreachable({ message: said, error }: ErrorEvent): ServiceError {
  return new ServiceError('unreachable', `Edge cannot be reached${said ? `: ${said.slice(0, 200)}` : ''}.`, {
    cause: error,
  })
}
