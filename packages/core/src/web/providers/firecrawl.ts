// Firecrawl's API v2: https://docs.firecrawl.dev/api-reference/endpoint/search, .../scrape. A server of one's own takes
// no key. A page that could not be had is a success whose metadata tell the status of the page.
import { z } from 'zod'
import type { Environment } from '../../agent/context.ts'
import { createServiceClient } from '../../services/service-client.ts'
import { ServiceError } from '../../services/service-error.ts'
import type { OpenWebProvider, PageAnswer } from '../web-provider.ts'

const hit = z.looseObject({ url: z.string(), title: z.string().nullish(), description: z.string().nullish() })
const found = z.looseObject({ data: z.looseObject({ web: z.array(hit).nullish() }) })
const textOrTexts = z.union([z.string(), z.array(z.string())]).nullish()
const scraped = z.looseObject({
  data: z.looseObject({
    markdown: z.string().nullish(),
    metadata: z
      .looseObject({
        title: textOrTexts,
        url: z.string().nullish(),
        sourceURL: z.string().nullish(),
        statusCode: z.number().nullish(),
        error: z.string().nullish(),
      })
      .nullish(),
  }),
})

/** Longest that one page takes, ms. */
const scrapeMs = 60_000

export const openFirecrawl: OpenWebProvider = ({ environment, breaker }) => {
  const { baseUrl, key } = placeOf(environment)
  const client = createServiceClient({
    service: 'Firecrawl',
    baseUrl,
    ...(key && { auth: { scheme: 'Bearer', key } }),
    keyHint: 'Check FIRECRAWL_API_KEY in .env.',
    timeoutMs: 30_000,
    environment,
    breaker,
  })
  const scrape = async (url: string, signal: AbortSignal): Promise<PageAnswer> => {
    const body = { url, formats: ['markdown'], onlyMainContent: true, timeout: scrapeMs }
    const { data } = await client.call(
      scraped,
      { method: 'POST', path: '/v2/scrape', body, timeoutMs: scrapeMs },
      signal,
    )
    const { metadata } = data
    const status = metadata?.statusCode ?? 200
    if (status >= 400) return { type: 'failed', url, reason: metadata?.error || `the page answered with ${status}` }
    const from = metadata?.url || metadata?.sourceURL || url
    return { type: 'page', url, from, title: [metadata?.title ?? ''].flat()[0] ?? '', text: data.markdown ?? '' }
  }
  return {
    async search({ text: query, limit }, signal) {
      const request = { method: 'POST', path: '/v2/search', body: { query, limit, sources: ['web'] } } as const
      const { data } = await client.call(found, request, signal)
      return (data.web ?? []).map(({ url, title, description }) => ({
        url,
        title: title ?? '',
        description: description ?? '',
      }))
    },
    read: (urls, signal) =>
      Promise.all(
        urls.map((url) =>
          scrape(url, signal).catch((error: unknown): PageAnswer => {
            if (!(error instanceof ServiceError)) throw error
            return { type: 'failed', url, reason: error.message }
          }),
        ),
      ),
  }
}

/** One's own server, or the service by its key, or the managed gateway with the account's token. */
function placeOf(environment: Environment): { readonly baseUrl: string; readonly key: string | undefined } {
  const { FIRECRAWL_API_KEY: key, FIRECRAWL_API_URL: url, TOOL_GATEWAY_USER_TOKEN: token } = environment
  if (key || url || !token) return { baseUrl: url || 'https://api.firecrawl.dev', key }
  const scheme = environment['TOOL_GATEWAY_SCHEME'] || 'https'
  const derived = `${scheme}://firecrawl-gateway.${environment['TOOL_GATEWAY_DOMAIN'] ?? ''}`
  return { baseUrl: environment['FIRECRAWL_GATEWAY_URL'] || derived, key: token }
}
