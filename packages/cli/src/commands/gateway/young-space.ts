import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/**
 * As far as it grows, bytes; V8 takes two of it. Turns that go on at once must fit, or else what they hold is moved to the
 * old objects before it is dropped, and those have to be looked through for it.
 */
const mostBytes = 4 * 2 ** 20

/** Collections a second that tell of load: what a few messages leave is collected as fast in a small space. */
const busyPerSecond = 8

/**
 * Lets the space for new objects, which the program's entry keeps as small as it begins, grow while much is made and
 * dropped. V8 itself makes it small again when there is nothing to do. Holds for the whole process.
 */
export function growYoungSpaceUnderLoad(): Disposable {
  let [factor, since, collections] = [1, performance.now(), 0]
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length
    const now = performance.now()
    const isBusy = (collections * 1000) / Math.max(1000, now - since) >= busyPerSecond
    if (now - since >= 1000) [since, collections] = [now, 0]
    const wanted = isBusy ? Math.max(1, Math.floor(mostBytes / capacity())) : 1
    if (wanted === factor) return
    factor = wanted
    setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  })
  observer.observe({ entryTypes: ['gc'] })
  return { [Symbol.dispose]: () => observer.disconnect() }
}

/** Of one half of the space, bytes. */
function capacity(): number {
  const { space_used_size: used = mostBytes, space_available_size: available = 0 } =
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space') ?? {}
  return used + available
}
