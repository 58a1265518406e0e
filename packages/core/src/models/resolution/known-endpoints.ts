import type { Choice } from './choice.ts'
import { endpointOf } from './endpoints.ts'
import type { Endpoint, EndpointSources } from './endpoints.ts'
import { hasKeptCredentials, poolFor } from './key-sources.ts'

/** How long credentials that are not there are not looked for again, ms. */
const freshMs = 1_000

/** Endpoints that are kept; more choices than a person makes. */
const maxKept = 64

/**
 * The endpoints of choices. Looking one up goes through every provider, so it is kept where only the configuration and the
 * environment decide it, which stay what they are as long as `sources`; where credentials are kept, each call asks for them.
 */
export function createEndpoints(
  sources: EndpointSources,
  now: () => number = () => performance.now(),
): (choice: Choice) => Promise<Endpoint> {
  const kept = new Map<string, Endpoint>()
  let lookedAt = Number.NEGATIVE_INFINITY
  /** Looked for anew by each call until an endpoint is kept, so that whoever lacks a key and adds it goes on at once. */
  const hasCredentials = (): boolean => {
    if (kept.size > 0 && now() - lookedAt < freshMs) return false
    lookedAt = now()
    if (!hasKeptCredentials(sources)) return false
    kept.clear()
    return true
  }
  return async (choice) => {
    if (hasCredentials()) return endpointOf(choice, sources)
    const { provider, model, baseUrl, apiKey, apiMode } = choice
    const key = JSON.stringify([provider, model, baseUrl, apiKey, apiMode])
    const known = kept.get(key)
    if (known) return known
    const endpoint = await endpointOf(choice, sources)
    if (poolFor(endpoint.facts, endpoint.place.baseUrl, sources)) return endpoint
    if (kept.size >= maxKept) kept.clear()
    kept.set(key, endpoint)
    return endpoint
  }
}
