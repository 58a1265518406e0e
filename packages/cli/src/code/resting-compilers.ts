import { createLoadMeter } from './load-meter.ts'
import type { V8Flags } from './v8-flags.ts'

/**
 * V8's compilers of machine code. What they are made of is read into memory with the first function that they compile, some
 * 8 MB, and what they make are 2 MB more; with a few messages a minute that saves nothing that anybody would notice.
 */
const compilers = ['sparkplug', 'maglev', 'turbofan'] as const

/**
 * Calls of a function before V8 has it optimized. V8's own count makes a server wait long for its fastest code: with a third
 * of it the API answered a quarter more requests a second, measured over the first minute of load. While the compilers rest
 * V8 looks as seldom at a function, so that what is called often would not be theirs soon after they wake.
 */
const patience = { name: '--invocation-count-for-turbofan', value: 3000, usual: 200, own: 10_000 } as const

/** Has functions interpreted from now on, however often they are called. Holds for the whole process. */
export function restCompilers(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  for (const name of compilers) setFlagsFromString(`--no-${name}`)
  setFlagsFromString(`${patience.name}=${patience.usual}`)
}

/** Has them awake for good, with that patience, however the process has started: as it did are its usual flags. */
export function wakeCompilers(flags: V8Flags): void {
  if (flags.areCompilersResting) {
    const awake = compilers.map((name) => ({ name: `--${name}`, value: true, usual: false, own: true }) as const)
    flags.set([...awake, patience])
  } else flags.set([{ ...patience, usual: patience.own }])
}

/** Wakes them as soon as there is load. Disposing of it ends the watch. */
export function wakeCompilersUnderLoad(flags: V8Flags): Disposable {
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks')
  const meter = createLoadMeter(performance.now())
  // Who works leaves something to collect: what leaves nothing is not looked at.
  const observer = new PerformanceObserver(() => {
    if (!meter.isLoad(performance.now(), spentMs())) return
    wakeCompilers(flags)
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
  return { [Symbol.dispose]: () => observer.disconnect() }
}

/** Of the processor, by all threads of the process. */
function spentMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
