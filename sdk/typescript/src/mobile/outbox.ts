import { pause } from '../connection/backoff.ts'

/** Something to send: its frames, made anew each time that it is sent. */
export type Outgoing = () => AsyncIterable<object> | Iterable<object>

export interface OutboxWire {
  /** False where nothing is connected. */
  send(frame: object): boolean
  readonly bufferedBytes: number
}

/** What was sent and is not confirmed: it is sent again after a reconnect. */
export interface Outbox {
  /**
   * Sends it, after all before it, now or when there is a connection. Rejects when too much waits. `onConfirmed`: the server
   * has dealt with it.
   */
  add(outgoing: Outgoing, onConfirmed?: () => void): Promise<void>
  /** A `ping` was answered: the server has everything up to the thing of this mark, where it is one of ours. */
  confirm(mark: number): void
  /** There is a new connection: everything that is not confirmed goes again, in order. */
  restart(): void
  /** The server did not take all of it and might later: what is not confirmed goes again after a while. */
  sendLater(): void
  /** Resolves when all that can go out now is out. */
  settled(): Promise<void>
  clear(): void
}

/** Sent and not confirmed, or not sent yet. */
const maxWaiting = 1_000

/** How long the server is left alone that took not all, ms; twice as long each time that it takes nothing, so often. */
const [laterMs, maxDoublings] = [2_000, 5]

/** Above it no more is given to the socket, bytes, and how long it is waited then, ms: sockets tell no drain. */
const [highWater, drainMs] = [4 * 1024 * 1024, 10]

/**
 * The server deals with frames in the order of their coming, so that the answer to a `ping` confirms all that was sent
 * before it. A `ping` with a mark of its own follows each thing that is sent; marks are no whole numbers, which a person's own
 * pings are.
 */
export function createOutbox(wire: OutboxWire, waitMs = laterMs): Outbox {
  const waiting: Waiting[] = []
  let marks = 0
  let era = 0
  let isRunning = false
  let later: ReturnType<typeof setTimeout> | undefined
  let doublings = 0
  let running: Promise<void> = Promise.resolve()

  function flush(): void {
    if (!isRunning) running = run()
  }

  async function run(): Promise<void> {
    isRunning = true
    try {
      for (let next = firstUnsent(); next; next = firstUnsent()) {
        const begun = era
        const isOut = await sendAll(next, () => era === begun)
        // A new connection has begun meanwhile: it starts over.
        if (era !== begun) continue
        if (!isOut || (isOut === true && !wire.send({ t: 'ping', ts: next.mark }))) break
        next.isSent = true
        next.settle()
      }
    } finally {
      isRunning = false
    }
    // The rest goes out with the next connection.
    for (const item of waiting) item.settle()
  }

  function restart(): void {
    clearTimeout(later)
    later = undefined
    era++
    for (const item of waiting) item.isSent = false
    flush()
  }

  const firstUnsent = () => (later === undefined ? waiting.find(({ isSent }) => !isSent) : undefined)

  /** Whether all of it is out; what cannot be read is given up. */
  async function sendAll(item: Waiting, isCurrent: () => boolean): Promise<boolean | 'given-up'> {
    try {
      for await (const frame of item.outgoing()) {
        while (wire.bufferedBytes > highWater && isCurrent()) await pause(drainMs, never)
        if (!isCurrent() || !wire.send(frame)) return false
      }
      return true
    } catch (error) {
      const place = waiting.indexOf(item)
      if (place >= 0) waiting.splice(place, 1)
      item.settle(error)
      return 'given-up'
    }
  }

  return {
    add(outgoing, onConfirmed = () => {}) {
      if (waiting.length >= maxWaiting) {
        return Promise.reject(new Error(`${maxWaiting} messages wait for the connection already.`))
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const settle = (error?: unknown) => (error === undefined ? resolve() : reject(error))
      waiting.push({ mark: ++marks + 0.5, outgoing, isSent: false, settle, onConfirmed })
      flush()
      return promise
    },
    confirm(mark) {
      // Something before it was not taken.
      if (later !== undefined) return
      if (!waiting.some((item) => item.isSent && item.mark === mark)) return
      doublings = 0
      while (waiting[0]?.isSent && waiting[0].mark <= mark) waiting.shift()?.onConfirmed()
    },
    restart,
    sendLater() {
      later ??= setTimeout(restart, waitMs * 2 ** Math.min(doublings++, maxDoublings))
    },
    settled: () => running,
    clear() {
      clearTimeout(later)
      later = undefined
      era++
      for (const item of waiting.splice(0)) item.settle()
    },
  }
}

const never = new AbortController().signal

interface Waiting {
  readonly mark: number
  readonly outgoing: Outgoing
  isSent: boolean
  /** What its sender is told, once. */
  readonly settle: (error?: unknown) => void
  readonly onConfirmed: () => void
}
