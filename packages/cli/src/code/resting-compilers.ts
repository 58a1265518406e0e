import { createLoadMeter } from './load-meter.ts'
import type { V8Flags } from './v8-flags.ts'

/**
 * V8's compilers of machine code. What they are made of is read into memory with the first function that they compile, some
 * 8 MB, and what they make are 2 MB more; with a few messages a minute that saves nothing that anybody would notice.
 */
const compilers = ['sparkplug', 'maglev', 'turbofan'] as const

/**
 * Calls of a function before V8 looks at it again. While only this compiler could make it faster, V8 would not look for so
 * long; what is called often by the time that the compilers wake is to be theirs at once.
 */
const patience = { name: '--invocation-count-for-turbofan', value: 3000, usual: 200 } as const

/** Has functions interpreted from now on, however often they are called. Holds for the whole process. */
export function restCompilers(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  for (const name of compilers) setFlagsFromString(`--no-${name}`)
  setFlagsFromString(`${patience.name}=${patience.usual}`)
}

/**
 * Wakes them for good as soon as there is load, in a process that has started now with resting ones: these are its usual
 * flags. Disposing of it ends the watch.
 */
export function wakeCompilersUnderLoad(flags: V8Flags): Disposable {
  const { PerformanceObserver } = process.getBuiltinModule('node:perf_hooks')
  const meter = createLoadMeter(performance.now())
  // Who works leaves something to collect: what leaves nothing is not looked at.
  const observer = new PerformanceObserver(() => {
    if (!meter.isLoad(performance.now(), spentMs())) return
    flags.set([...compilers.map((name) => ({ name: `--${name}`, value: true, usual: false }) as const), patience])
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
