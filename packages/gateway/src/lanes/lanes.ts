import type { InboundMessage } from '../messages/inbound-message.ts'

/** Why turns are stopped when the gateway ends. */
export const gatewayStops = 'The gateway stops.'

/** Whether it is the gateway's end that stops something: it goes on after the next start. */
export function isOwnEnd(signal: AbortSignal): boolean {
  return signal.reason instanceof Error && signal.reason.message === gatewayStops
}

/** Why a turn is stopped that a newer message of the person takes the place of. */
export const newerMessage = 'A newer message of the user.'

/** Work of one conversation, one piece after the other; conversations do not wait for each other. */
export interface Lanes extends AsyncDisposable {
  /**
   * Queues work; it begins when all before it in its lane has ended. `message`: what it answers.
   */
  add(key: string, work: LaneWork, message?: InboundMessage): void
  /** Whether something runs in a lane now. */
  isBusy(key: string): boolean
  /** Pieces that wait in a lane behind the one that runs. */
  waiting(key: string): number
  /** Interrupts what runs in a lane; what waits behind it goes on. False where nothing runs. */
  interrupt(key: string, reason: string): boolean
  /**
   * Interrupts what runs in a lane, and has what answers people's messages behind it end as interrupted, at once: its
   * `signal` has aborted before it begins. Those messages.
   */
  clear(key: string, reason: string): readonly InboundMessage[]
  /** Lanes where something runs. */
  readonly busy: number
  busyKeys(): readonly string[]
  /** Messages whose work runs now, with their lanes; not those that are ended. */
  running(): readonly RunningMessage[]
  /** Resolves when nothing runs any more, at the latest when `signal` aborts. */
  idle(signal: AbortSignal): Promise<void>
}

/**
 * `signal` aborts when it is interrupted; `ending` does with it, but not for a newer message: what was said before belongs to
 * the conversation all the same. Where something else interrupts it after that, `ending` alone tells.
 */
type LaneWork = (signal: AbortSignal, ending: AbortSignal) => Promise<void>

export interface RunningMessage {
  readonly key: string
  readonly message: InboundMessage
}

interface Waiting {
  readonly work: LaneWork
  readonly message: InboundMessage | undefined
}

interface Lane {
  readonly queue: Waiting[]
  interruption: Interruption
  /** Of what runs. */
  message: InboundMessage | undefined
}

/** Ends what runs, once for a newer message and once for good. */
interface Interruption {
  readonly abort: AbortController
  readonly end: AbortController
}

/** `onFailure`: what a piece of work threw that was not interrupted. */
export function createLanes(onFailure: (key: string, error: unknown) => void): Lanes {
  const lanes = new Map<string, Lane>()
  const idlers = new Set<() => void>()
  let isClosed = false

  async function run(key: string, lane: Lane): Promise<void> {
    for (let next = lane.queue.shift(); next; next = lane.queue.shift()) {
      const { abort, end } = (lane.interruption = newInterruption())
      lane.message = next.message
      try {
        await next.work(abort.signal, end.signal)
      } catch (error) {
        if (!abort.signal.aborted) onFailure(key, error)
      }
    }
    lanes.delete(key)
    if (lanes.size === 0) for (const idler of idlers) idler()
  }

  return {
    add(key, work, message) {
      if (isClosed) return
      const lane = lanes.get(key)
      if (lane) {
        lane.queue.push({ work, message })
        return
      }
      const made: Lane = { queue: [{ work, message }], interruption: newInterruption(), message }
      lanes.set(key, made)
      void run(key, made)
    },
    isBusy: (key) => lanes.has(key),
    waiting: (key) => lanes.get(key)?.queue.length ?? 0,
    interrupt(key, reason) {
      const lane = lanes.get(key)
      if (lane) interrupt(lane.interruption, reason)
      return lane !== undefined
    },
    clear(key, reason) {
      const lane = lanes.get(key)
      if (!lane) return []
      const isDropped = ({ message }: Waiting) => message !== undefined && message.isInternal !== true
      const dropped = lane.queue.filter(isDropped)
      lane.queue.splice(0, Infinity, ...lane.queue.filter((one) => !isDropped(one)))
      interrupt(lane.interruption, reason)
      const ended = AbortSignal.abort(new DOMException(reason, 'AbortError'))
      for (const { work } of dropped)
        work(ended, ended).catch((error: unknown) => error === ended.reason || onFailure(key, error))
      return dropped.flatMap(({ message }) => message ?? [])
    },
    get busy() {
      return lanes.size
    },
    busyKeys: () => [...lanes.keys()],
    running: () =>
      [...lanes].flatMap(([key, { message, interruption }]) =>
        message && !interruption.end.signal.aborted ? [{ key, message }] : [],
      ),
    async idle(signal) {
      if (lanes.size === 0 || signal.aborted) return
      await new Promise<void>((resolve) => {
        const done = () => {
          idlers.delete(done)
          resolve()
        }
        idlers.add(done)
        signal.addEventListener('abort', done, { once: true })
      })
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      for (const lane of lanes.values()) {
        lane.queue.length = 0
        interrupt(lane.interruption, gatewayStops)
      }
      await this.idle(AbortSignal.timeout(5_000))
    },
  }
}

function newInterruption(): Interruption {
  return { abort: new AbortController(), end: new AbortController() }
}

function interrupt({ abort, end }: Interruption, reason: string): void {
  const why = new DOMException(reason, 'AbortError')
  abort.abort(why)
  if (reason !== newerMessage) end.abort(why)
}
