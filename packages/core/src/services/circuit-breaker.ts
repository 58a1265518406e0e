import { ServiceError } from './service-error.ts'

/** Keeps a service that is down from slowing everything: after some failures in a row it is left alone for a while. */
export interface CircuitBreaker {
  /** Throws `ServiceError` while the service is left alone. */
  check(): void
  succeeded(): void
  failed(error: ServiceError): void
}

const maxFailures = 5
const restMs = 120_000

/** `now`: monotonic ms. */
export function createCircuitBreaker(service: string, now: () => number = () => performance.now()): CircuitBreaker {
  let failures = 0
  let restsUntil = 0
  return {
    check() {
      const leftMs = restsUntil - now()
      if (failures < maxFailures || leftMs <= 0) return
      const seconds = Math.ceil(leftMs / 1000)
      throw new ServiceError(
        'unreachable',
        `${service} failed ${failures} times in a row and is asked again in ${seconds} s.`,
        { retryAfterMs: leftMs },
      )
    },
    succeeded() {
      failures = 0
    },
    failed(error) {
      // That a request was wrong says nothing of the service.
      if (error.code !== 'unreachable' && error.code !== 'timeout' && error.code !== 'rate-limited') {
        failures = 0
        return
      }
      failures++
      if (failures >= maxFailures) restsUntil = now() + restMs
    },
  }
}
