// Brave's Web Search API: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started. A query has at
// most 400 characters and 50 words; the free plan takes one a second.
import { z } from 'zod'
import { createServiceClient } from '../../services/service-client.ts'
import { plainText } from '../plain-text.ts'
import type { OpenWebProvider } from '../web-provider.ts'

const hit = z.looseObject({ url: z.string(), title: z.string().nullish(), description: z.string().nullish() })
const found = z.looseObject({ web: z.looseObject({ results: z.array(hit).nullish() }).nullish() })

const maxChars = 400
const maxWords = 50
const maxCount = 20

export const openBrave: OpenWebProvider = ({ environment, breaker }) => {
  const client = createServiceClient({
    service: 'Brave Search',
    baseUrl: environment['BRAVE_SEARCH_API_URL'] || 'https://api.search.brave.com',
    auth: {
      header: 'x-subscription-token',
      key: environment['BRAVE_SEARCH_API_KEY'] || environment['BRAVE_API_KEY'] || '',
    },
    keyHint: 'Check BRAVE_SEARCH_API_KEY in .env.',
    environment,
    breaker,
  })
  return {
    async search({ text, limit }, signal) {
      const query = { q: fitting(text), count: Math.min(limit, maxCount), text_decorations: false }
      const { web } = await client.call(found, { path: '/res/v1/web/search', query }, signal)
      return (web?.results ?? []).map(({ url, title, description }) => ({
        url,
        title: plainText(title ?? ''),
        description: plainText(description ?? ''),
      }))
    },
  }
}

function fitting(text: string): string {
  const words = text.trim().split(/\s+/).slice(0, maxWords).join(' ')
  return words.slice(0, maxChars).toWellFormed()
}
