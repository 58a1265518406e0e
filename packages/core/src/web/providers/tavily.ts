// Tavily's API: https://docs.tavily.com/documentation/api-reference/endpoint/search, .../extract. Plans that are used up
// are told with the statuses 432 and 433.
import { z } from 'zod'
import { createServiceClient } from '../../services/service-client.ts'
import type { OpenWebProvider, PageAnswer } from '../web-provider.ts'

const hit = z.looseObject({ url: z.string(), title: z.string().nullish(), content: z.string().nullish() })
const found = z.looseObject({ results: z.array(hit) })
const page = z.looseObject({ url: z.string(), title: z.string().nullish(), raw_content: z.string().nullish() })
const failure = z.looseObject({ url: z.string(), error: z.string().nullish() })
const extracted = z.looseObject({ results: z.array(page), failed_results: z.array(failure).nullish() })

export const openTavily: OpenWebProvider = ({ environment, breaker }) => {
  const client = createServiceClient({
    service: 'Tavily',
    baseUrl: environment['TAVILY_API_URL'] || 'https://api.tavily.com',
    auth: { scheme: 'Bearer', key: environment['TAVILY_API_KEY'] ?? '' },
    keyHint: 'Check TAVILY_API_KEY in .env.',
    timeoutMs: 30_000,
    environment,
    breaker,
  })
  return {
    async search({ text: query, limit }, signal) {
      const request = { method: 'POST', path: '/search', body: { query, max_results: limit } } as const
      const { results } = await client.call(found, request, signal)
      return results.map(({ url, title, content }) => ({ url, title: title ?? '', description: content ?? '' }))
    },
    async read(urls, signal) {
      const body = { urls, format: 'markdown', extract_depth: 'basic' }
      const request = { method: 'POST', path: '/extract', body, timeoutMs: 60_000 } as const
      const { results, failed_results: failures } = await client.call(extracted, request, signal)
      return urls.map((url): PageAnswer => {
        const found = results.find((one) => one.url === url)
        if (found) return { type: 'page', url, from: url, title: found.title ?? '', text: found.raw_content ?? '' }
        const failed = failures?.find((one) => one.url === url)
        return { type: 'failed', url, reason: failed?.error || 'nothing came of it' }
      })
    },
  }
}
