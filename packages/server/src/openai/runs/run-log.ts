import { HttpError } from '../../http/http-error.ts'

/** An event of a run with its number, from 1 upward without gaps. */
export interface LoggedEvent {
  readonly id: number
  readonly data: Readonly<Record<string, unknown>>
}

/** What happens in a run, for readers that come, go and come back. Old events are dropped beyond a bound. */
export interface RunLog {
  append(data: Readonly<Record<string, unknown>>): void
  /** No event comes any more. */
  close(): void
  /** Refuses a place that no reader can go on from. Throws `HttpError`. */
  check(after: number): void
  /** All events after number `after`, those to come included. Throws `HttpError` once events were dropped before it has read them. */
  read(after: number, signal: AbortSignal): AsyncGenerator<LoggedEvent>
}

export interface RunLogBounds {
  readonly maxEvents: number
  readonly maxChars: number
}

const usualBounds: RunLogBounds = { maxEvents: 20_000, maxChars: 2_000_000 }

export function createRunLog({ maxEvents, maxChars }: RunLogBounds = usualBounds): RunLog {
  /** Beginning with event `first`. */
  let events: LoggedEvent[] = []
  let first = 1
  let chars = 0
  let isClosed = false
  let more = Promise.withResolvers<void>()
  const sizes: number[] = []

  const wake = () => {
    more.resolve()
    more = Promise.withResolvers()
  }

  /** Drops the older half, so that dropping costs little. */
  function drop(): void {
    const count = Math.ceil(events.length / 2)
    events = events.slice(count)
    first += count
    for (const size of sizes.splice(0, count)) chars -= size
  }

  function check(after: number): void {
    const last = first + events.length - 1
    if (after > last) throw new HttpError(400, 'invalid_event_id', `The run has no event ${after} yet.`)
    if (after + 1 < first) {
      throw new HttpError(410, 'events_expired', `The events before ${first} are no longer kept.`)
    }
  }

  return {
    check,
    append(data) {
      const size = JSON.stringify(data).length
      events.push({ id: first + events.length, data })
      sizes.push(size)
      chars += size
      while (events.length > 1 && (events.length > maxEvents || chars > maxChars)) drop()
      wake()
    },
    close() {
      isClosed = true
      wake()
    },
    async *read(after, signal) {
      let at = after
      for (;;) {
        signal.throwIfAborted()
        check(at)
        const event = events[at + 1 - first]
        if (event) {
          at = event.id
          yield event
        } else if (isClosed) return
        else await orAborted(more.promise, signal)
      }
    },
  }
}

async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const leave = () => reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  try {
    await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', leave)
  }
}
