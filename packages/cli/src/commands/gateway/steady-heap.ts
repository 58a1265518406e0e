import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import type { V8Flag, V8Flags } from '../../code/v8-flags.ts'

/**
 * As far as the space for new objects grows, bytes; V8 takes two of it. Turns that go on at once must fit, or else what they
 * hold is moved to the old objects before it is dropped, and those have to be looked through for it.
 */
const mostBytes = 4 * 2 ** 20

/** Collections a second that tell of load: what a few messages leave is collected as fast in a small space. */
const busyPerSecond = 8

const growth = { name: '--semi-space-growth-factor', value: 1, usual: 2 } as const

/**
 * How often V8 looks through all of the heap once little happens any more. The second look is as long as the first, and
 * finds something only where there was load.
 */
const looksAtRest = { name: '--memory-reducer-gc-count', value: 1, usual: 2 } as const

/**
 * V8 by itself lets the space for old objects grow to a multiple of what is in use before it looks through it, and compiles
 * much of what a function calls into it, where each of its threads keeps the memory of its largest compilation. What that
 * brings is not to be measured here.
 */
export const bounds: readonly V8Flag[] = [
  growth,
  looksAtRest,
  { name: '--heap-growing-percent', value: 15, usual: 0 },
  { name: '--max-inlined-bytecode-size-cumulative', value: 200, usual: 920 },
  { name: '--max-maglev-inlined-bytecode-size-cumulative', value: 200, usual: 920 },
]

/**
 * Keeps the memory of a process that serves many near what they need. By itself V8 lets the space for new objects grow to
 * 128 MB where much is made and dropped; here it grows as far as it pays, and only while much is: V8 makes it small again
 * when there is nothing to do. Holds for the whole process. Before the process serves there is nothing to bound, and a start
 * takes a tenth longer in a space that cannot grow.
 */
export function steadyHeap(flags: V8Flags): Disposable {
  flags.set(bounds)
  // A space that small is looked through by one thread: to wake others for it takes longer than the work.
  setFlagsFromString('--no-parallel-scavenge')
  let [factor, since, collections] = [1, performance.now(), 0]
  let hasSeenLoad = false
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length
    const now = performance.now()
    const isBusy = (collections * 1000) / Math.max(1000, now - since) >= busyPerSecond
    if (now - since >= 1000) [since, collections] = [now, 0]
    if (isBusy && !hasSeenLoad) {
      hasSeenLoad = true
      flags.set([{ ...looksAtRest, value: looksAtRest.usual }])
    }
    const wanted = isBusy ? Math.max(1, Math.floor(mostBytes / capacity())) : 1
    if (wanted === factor) return
    factor = wanted
    flags.set([{ ...growth, value: factor }])
  })
  observer.observe({ entryTypes: ['gc'] })
  return { [Symbol.dispose]: () => observer.disconnect() }
}

/** Of one half of the space for new objects, bytes. */
function capacity(): number {
  const { space_used_size: used = mostBytes, space_available_size: available = 0 } =
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space') ?? {}
  return used + available
}
