import type { SessionScope } from '../agent/session-scope.ts'
import type { Clock } from '../agent/clock.ts'
import { createCircuitBreaker } from '../services/circuit-breaker.ts'
import type { CircuitBreaker } from '../services/circuit-breaker.ts'
import { createPace } from './pace.ts'
import type { Pace } from './pace.ts'
import { createPageCache } from './page-cache.ts'
import type { PageCache } from './page-cache.ts'

/** What a session and its sub-agents keep of the web between their calls. */
export interface WebSession {
  readonly pages: PageCache
  readonly pace: Pace
  /** The breaker of a service, made when it is first asked for. */
  breakerOf(service: string): CircuitBreaker
}

/** That of a session's scope, made by the first call that uses the web. */
export function webSessionOf({ web }: Pick<SessionScope, 'web'>, clock: Clock): WebSession {
  return (web.session ??= createWebSession(() => clock.now()))
}

function createWebSession(now: () => number): WebSession {
  const breakers = new Map<string, CircuitBreaker>()
  return {
    pages: createPageCache(now),
    pace: createPace(),
    breakerOf(service) {
      const known = breakers.get(service) ?? createCircuitBreaker(service)
      breakers.set(service, known)
      return known
    },
  }
}
