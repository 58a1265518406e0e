import { once } from 'node:events'
import { parsePhebyEvent } from '@hermes/protocol/pheby/parse.ts'
import type { PhebyEvent, PhebyOf, PhebyRequestInput } from '@hermes/protocol/pheby/types.ts'
import { WebSocket } from 'ws'

/** A request without the id, which the client makes. */
export type Ask<Request = PhebyRequestInput> = Request extends PhebyRequestInput ? Omit<Request, 'request_id'> : never

/** The app, for tests: it keeps all that it is told, and refuses what the protocol does not know. */
export interface TestClient {
  readonly events: readonly PhebyEvent[]
  /** Sends something as it is. */
  send(frame: string | Buffer | object): void
  /** Asks, and resolves to the first event with the id of the request. */
  ask(request: Ask, requestId?: string): Promise<PhebyEvent>
  /** The same, where the type of the answer is known. */
  answer<Type extends PhebyEvent['type']>(request: Ask, type: Type): Promise<PhebyOf<PhebyEvent, Type>>
  /** Resolves to the first event of the type, from now on or since event `from`. */
  event<Type extends PhebyEvent['type']>(
    type: Type,
    is?: (event: PhebyOf<PhebyEvent, Type>) => boolean,
    from?: number,
  ): Promise<PhebyOf<PhebyEvent, Type>>
  /** Resolves with the code when the connection has ended. */
  readonly closed: Promise<number>
  /** Cuts it off, as a network does. */
  cut(): void
  pause(): void
  resume(): void
}

const waitMs = 30_000

export async function connectTestClient(
  url: string,
  { secret, headers = {} }: { readonly secret?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<TestClient> {
  const socket = new WebSocket(url, { headers })
  const events: PhebyEvent[] = []
  const watchers = new Set<() => void>()
  const closed = Promise.withResolvers<number>()
  let problem: Error | undefined
  let count = 0
  socket.on('close', (code) => {
    closed.resolve(code)
    for (const watcher of watchers) watcher()
  })
  socket.on('message', (data: Buffer) => {
    const text = data.toString('utf8')
    const event = parsePhebyEvent(text)
    // Schemas leave out what they do not know, so that a field too many shows here.
    if (!event || JSON.stringify(sorted(event)) !== JSON.stringify(sorted(JSON.parse(text)))) {
      problem ??= new Error(`this is no event of the protocol: ${text.slice(0, 500)}`)
    } else events.push(event)
    for (const watcher of watchers) watcher()
  })
  await once(socket, 'open')

  async function find<Found>(look: () => Found | undefined, what: string): Promise<Found> {
    const until = performance.now() + waitMs
    for (;;) {
      if (problem) throw problem
      const found = look()
      if (found !== undefined) return found
      const left = until - performance.now()
      if (left <= 0 || socket.readyState === WebSocket.CLOSED) {
        throw new Error(`no ${what} among ${JSON.stringify(events.slice(-20))}`)
      }
      await new Promise<void>((resolve) => {
        const seen = () => {
          clearTimeout(timer)
          watchers.delete(seen)
          resolve()
        }
        const timer = setTimeout(seen, left)
        watchers.add(seen)
      })
    }
  }

  const client: TestClient = {
    events,
    send: (frame) => socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
    async ask(request, requestId = `r${++count}`) {
      const from = events.length
      client.send({ ...request, request_id: requestId })
      const isAnswer = (event: PhebyEvent) => 'request_id' in event && event.request_id === requestId
      return find(() => events.slice(from).find(isAnswer), `answer to ${request.type}`)
    },
    async answer<Type extends PhebyEvent['type']>(request: Ask, type: Type) {
      const event = await client.ask(request)
      if (event.type !== type) throw new Error(`${type} was expected: ${JSON.stringify(event)}`)
      return event as PhebyOf<PhebyEvent, Type>
    },
    event<Type extends PhebyEvent['type']>(
      type: Type,
      is: (event: PhebyOf<PhebyEvent, Type>) => boolean = () => true,
      from = events.length,
    ) {
      const fits = (event: PhebyEvent): event is PhebyOf<PhebyEvent, Type> =>
        event.type === type && is(event as PhebyOf<PhebyEvent, Type>)
      return find(() => events.slice(from).find(fits), type)
    },
    closed: closed.promise,
    cut: () => socket.terminate(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  }
  if (secret !== undefined) await client.answer({ type: 'hello', secret, protocol_version: 1 }, 'ready')
  return client
}

/** The same with the keys in the order of the alphabet. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
