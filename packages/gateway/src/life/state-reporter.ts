import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import type { Gateway } from '../gateway.ts'
import type { PlatformStatus } from '../platforms/platform-runner.ts'
import type { Services } from './start-services.ts'
import { writeGatewayState } from './state-file.ts'
import type { GatewayState } from './state-file.ts'

/** Keeps `gateway_state.json` as the gateway is, one state after the other. What cannot be written keeps nothing from running. */
export interface StateReporter {
  readonly onStatus: (status: PlatformStatus) => void
  /** What is reported from now on. */
  follow(gateway: Gateway, services: Services): void
  /** After a failure it says no more. */
  enter(state: GatewayState): Promise<void>
  /** It ends, as soon as what runs has ended; how much that is, is reported each second. */
  drain(isRestart: boolean): void
  /** It could not begin, or could not go on. */
  fail(error: unknown): Promise<void>
}

const drainReportMs = 1_000

export function createReporter(
  { home, clock, log, redactor }: Pick<OpenContext, 'home' | 'clock' | 'log' | 'redactor'>,
  tell: (line: string) => void,
): StateReporter {
  const told = new Map<string, string>()
  let gateway: Gateway | undefined
  let beside: Services | undefined
  let state: GatewayState = 'starting'
  let reason: string | undefined
  let isRestart = false
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let queued: Promise<void> | undefined
  const writeNow = async () => {
    queued = undefined
    const busy = (gateway?.busy ?? 0) + (beside?.busy ?? 0)
    const platforms = [...(gateway?.platforms() ?? []), ...(beside?.statuses ?? [])]
    const report = { state, busy, platforms, isRestart, now: clock.now(), ...(reason !== undefined && { reason }) }
    try {
      await writeGatewayState(home, report)
    } catch (error) {
      log.error({ error: String(error) }, 'the state of the gateway cannot be written')
    }
  }
  /** What changes while it is written goes into one more writing, whatever it is. */
  const write = () => (writing = queued ??= writing.then(writeNow))
  return {
    follow(running, services) {
      gateway = running
      beside = services
    },
    enter(next) {
      clearInterval(timer)
      if (state === 'startup_failed') return writing
      state = next
      return write()
    },
    drain(restart) {
      isRestart = restart
      state = 'draining'
      void write()
      timer = setInterval(() => void write(), drainReportMs).unref()
    },
    fail(error) {
      const hasBegun = gateway !== undefined
      reason = redactor.redact(error instanceof Error ? error.message : String(error))
      if (!hasBegun) state = 'startup_failed'
      return write()
    },
    onStatus({ platform, state: current, error }) {
      const line = `${platform}: ${current}${error ? ` (${error})` : ''}`
      // What is tried again and again in vain is told once.
      if (current !== 'connecting' && state !== 'draining' && told.get(platform) !== line) {
        told.set(platform, line)
        tell(line)
      }
      void write()
    },
  }
}
