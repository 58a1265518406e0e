import { getHeapStatistics } from 'node:v8'
import { garbageCollector } from '@hermes/core/storage/collect-garbage.ts'

/** Nothing has happened for so long: the process rests, ms. */
const restMs = 1_000

/** Between two collections, ms. One takes 50 ms of a processor, and makes the next answer some 4 ms longer. */
const everyMs = 60_000

/** Less than this that was made since the last one is not worth one, bytes. */
const leastBytes = 512 * 1024

/** A heap that holds more is left to V8, bytes: nothing else goes on meanwhile, also what other parts of the process do. */
const mostBytes = 32 * 1024 * 1024

export interface AtRestOptions {
  readonly collect?: () => void
  /** Ms. */
  readonly now?: () => number
  /** What the heap holds, what was dropped included, bytes. */
  readonly heapBytes?: () => number
}

export interface AtRest extends Disposable {
  /** Tells that something begins, and that something has ended. */
  begin(): void
  end(): void
}

/**
 * Has what work has left collected when there is none for a moment, at most once a minute. V8 leaves it where it is until
 * the next work needs the room, and keeps the room: a megabyte or two of a process that answers now and then, and ten of one
 * that has just started.
 */
export function collectAtRest({
  collect = () => garbageCollector()({ type: 'major', flavor: 'last-resort' }),
  now = () => performance.now(),
  heapBytes = () => getHeapStatistics().used_heap_size,
}: AtRestOptions = {}): AtRest {
  let [running, ended, seen, kept, nextAt] = [0, 0, 0, 0, 0]
  let timer: NodeJS.Timeout | undefined
  const lookIn = (ms: number) => (timer = setTimeout(look, ms).unref())
  const look = (): void => {
    timer = undefined
    const wasBusy = ended !== seen
    seen = ended
    // Its end starts the wait anew.
    if (running > 0) return
    if (wasBusy) lookIn(restMs)
    else if (now() < nextAt) lookIn(nextAt - now())
    else if (heapBytes() - kept >= leastBytes && heapBytes() <= mostBytes) {
      collect()
      kept = heapBytes()
      nextAt = now() + everyMs
    }
  }
  return {
    begin() {
      running++
    },
    end() {
      running--
      if (timer) ended++
      else lookIn(restMs)
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
