import { ServiceError } from '../services/service-error.ts'
import { sleep } from '../models/retry.ts'

/** Keeps requests to a service that takes no key some time apart, and leaves it alone when it has had enough. */
export interface Pace {
  /** Resolves when the next request may go out. Throws `ServiceError` `rate-limited` while the service is left alone. */
  turn(service: string, signal: AbortSignal): Promise<void>
  /** Leaves the service alone from now on for so long. */
  rest(ms: number): void
}

/** The shortest time between two requests, ms. */
const apartMs = 1_500

/** `now`: monotonic ms. */
export function createPace(now: () => number = () => performance.now()): Pace {
  let nextAt = 0
  let restsUntil = 0
  return {
    async turn(service, signal) {
      const leftMs = restsUntil - now()
      if (leftMs > 0) {
        const seconds = Math.ceil(leftMs / 1000)
        const message = `${service} has had too many searches and is asked again in ${seconds} s.`
        throw new ServiceError('rate-limited', message, { retryAfterMs: leftMs })
      }
      const at = Math.max(now(), nextAt)
      nextAt = at + apartMs
      if (at > now()) await sleep(at - now(), signal)
    },
    rest(ms) {
      restsUntil = now() + ms
    },
  }
}
