// SearXNG, on a server of one's own: https://docs.searxng.org/dev/search_api.html. It answers with JSON only where its
// settings list that format, and with 403 otherwise. It cannot be told how many results are wanted.
import { z } from 'zod'
import { createServiceClient } from '../../services/service-client.ts'
import { ServiceError } from '../../services/service-error.ts'
import type { OpenWebProvider } from '../web-provider.ts'

const hit = z.looseObject({ url: z.string(), title: z.string().nullish(), content: z.string().nullish() })
const found = z.looseObject({
  results: z.array(hit),
  /** Pairs of a name and why it did not answer. */
  unresponsive_engines: z.array(z.array(z.unknown())).nullish(),
})

export const openSearxng: OpenWebProvider = ({ environment, breaker }) => {
  const client = createServiceClient({
    service: 'SearXNG',
    baseUrl: environment['SEARXNG_URL'] ?? '',
    keyHint: 'Check SEARXNG_URL in .env.',
    timeoutMs: 20_000,
    environment,
    breaker,
  })
  return {
    async search({ text, limit }, signal) {
      const request = { path: '/search', query: { q: text, format: 'json' } }
      const answer = await client.call(found, request, signal).catch((error: unknown) => {
        throw error instanceof ServiceError && error.status === 403 ? withoutJson(error) : error
      })
      const silent = answer.unresponsive_engines ?? []
      if (answer.results.length === 0 && silent.length > 0) {
        const names = silent.map(([name]) => String(name)).slice(0, 5)
        throw new ServiceError(
          'unreachable',
          `None of SearXNG's engines answered (${names.join(', ')}). Try again later.`,
        )
      }
      return answer.results
        .slice(0, limit)
        .map(({ url, title, content }) => ({ url, title: title ?? '', description: content ?? '' }))
    },
  }
}

function withoutJson(error: ServiceError): ServiceError {
  const message = 'SearXNG gives no JSON: add json to search.formats in its settings.yml.'
  return new ServiceError('refused', message, { status: 403, cause: error })
}
