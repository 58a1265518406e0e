/** Handlers by event, and the same events as a stream. `Events`: what each event carries. */
export interface EventSource<Events extends object> {
  /** Resolves to a function that takes the handler away. */
  on<Name extends keyof Events>(name: Name, handler: (value: Events[Name]) => unknown): () => void
  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void
  /** Whether somebody listens to it. */
  has(name: keyof Events): boolean
  /** Events from now on, until `end`. */
  stream(): AsyncIterableIterator<EventOf<Events>>
  end(): void
}

/** `{type: 'message', value: …}` for each event. */
export type EventOf<Events extends object> = {
  [Name in keyof Events]: { readonly type: Name; readonly value: Events[Name] }
}[keyof Events]

/** Events that a reader is behind by; the oldest go first. */
const maxBehind = 10_000

/** A handler that throws stops nothing: `onFailure` is told, and of which event the handler was. */
export function createEvents<Events extends object>(
  onFailure: (error: unknown, name: keyof Events) => void,
): EventSource<Events> {
  const handlers = new Map<keyof Events, Set<(value: never) => unknown>>()
  const readers = new Set<{ push(event: EventOf<Events>): void; end(): void }>()
  return {
    on(name, handler) {
      const all = handlers.get(name) ?? new Set()
      handlers.set(name, all.add(handler))
      return () => void all.delete(handler)
    },
    has: (name) => (handlers.get(name)?.size ?? 0) > 0,
    emit(name, value) {
      for (const handler of handlers.get(name) ?? []) {
        try {
          const done = (handler as (given: typeof value) => unknown)(value)
          if (done instanceof Promise) done.catch((error: unknown) => onFailure(error, name))
        } catch (error) {
          onFailure(error, name)
        }
      }
      for (const reader of readers) reader.push({ type: name, value })
    },
    stream() {
      const waiting: EventOf<Events>[] = []
      const askers: (() => void)[] = []
      const wake = () => askers.shift()?.()
      let isOver = false
      const reader = {
        push(event: EventOf<Events>) {
          waiting.push(event)
          if (waiting.length > maxBehind) waiting.shift()
          wake()
        },
        end() {
          isOver = true
          readers.delete(reader)
          while (askers.length > 0) wake()
        },
      }
      readers.add(reader)
      return {
        async next() {
          for (;;) {
            const value = waiting.shift()
            if (value !== undefined) return { done: false, value }
            if (isOver) return { done: true, value: undefined }
            await new Promise<void>((resolve) => askers.push(resolve))
          }
        },
        async return() {
          reader.end()
          waiting.length = 0
          return { done: true, value: undefined }
        },
        [Symbol.asyncIterator]() {
          return this
        },
      }
    },
    end() {
      for (const reader of readers) reader.end()
    },
  }
}
