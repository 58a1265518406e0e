import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Registry } from './registry.ts'

/** How often the event loop is looked at, ms: seldom enough that an idle process stays idle. */
const resolution = 50

/** What the process itself takes, under the names that dashboards for Node know. Disposing of it stops the measuring. */
export interface ProcessMetrics extends Disposable {
  /** Takes the measures. Those of the event loop are of the time since the last call. */
  update(): void
}

export function processMetrics({ counter, gauge }: Registry): ProcessMetrics {
  const cpu = counter({ name: 'process_cpu_seconds_total', help: 'User and system CPU time, seconds.' })
  const resident = gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory, bytes.' })
  const started = gauge({ name: 'process_start_time_seconds', help: 'When the process began, seconds since 1970.' })
  const heap = gauge({ name: 'nodejs_heap_size_used_bytes', help: 'Heap in use, bytes.' })
  const external = gauge({ name: 'nodejs_external_memory_bytes', help: 'Memory outside the heap, bytes.' })
  const lag = gauge({ name: 'nodejs_eventloop_lag_seconds', help: 'Delays of the event loop since the last look.' })
  const utilization = gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since in which it worked.',
  })
  const delays = monitorEventLoopDelay({ resolution })
  delays.enable()
  let before = performance.eventLoopUtilization()
  let counted = 0
  return {
    update() {
      const { user, system } = process.cpuUsage()
      const { rss, heapUsed, external: outside } = process.memoryUsage()
      cpu.add({}, (user + system) / 1e6 - counted)
      counted = (user + system) / 1e6
      resident.set(rss)
      started.set(performance.timeOrigin / 1000)
      heap.set(heapUsed)
      external.set(outside)
      // A timer comes a resolution after the last one when nothing is late.
      const late = (ns: number) => Math.max(0, ns / 1e9 - resolution / 1000)
      const quantiles = { '0.5': delays.percentile(50), '0.99': delays.percentile(99), '1': delays.max }
      for (const [quantile, ns] of Object.entries(quantiles)) lag.set(delays.count > 0 ? late(ns) : 0, { quantile })
      delays.reset()
      const now = performance.eventLoopUtilization()
      utilization.set(performance.eventLoopUtilization(now, before).utilization)
      before = now
    },
    [Symbol.dispose]: () => void delays.disable(),
  }
}
