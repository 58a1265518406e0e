// Parallel's Search and Extract API v1, as its own client has it: https://docs.parallel.ai/search/search-quickstart.
import { z } from 'zod'
import { createServiceClient } from '../../services/service-client.ts'
import type { OpenWebProvider, PageAnswer } from '../web-provider.ts'

const result = z.looseObject({
  url: z.string(),
  title: z.string().nullish(),
  excerpts: z.array(z.string()).nullish(),
  full_content: z.string().nullish(),
})
const found = z.looseObject({ results: z.array(result) })
const failure = z.looseObject({ url: z.string(), error_type: z.string(), http_status_code: z.number().nullish() })
const extracted = z.looseObject({ results: z.array(result), errors: z.array(failure).nullish() })

/** Names that `PARALLEL_SEARCH_MODE` had before, by those of today. */
const modes: Readonly<Record<string, string>> = { agentic: 'advanced', 'one-shot': 'basic' }

/** Most that is read of one page, characters. */
const maxPageChars = 2_000_001

export const openParallel: OpenWebProvider = ({ environment, breaker }) => {
  const client = createServiceClient({
    service: 'Parallel',
    baseUrl: environment['PARALLEL_API_URL'] || 'https://api.parallel.ai',
    auth: { header: 'x-api-key', key: environment['PARALLEL_API_KEY'] ?? '' },
    keyHint: 'Check PARALLEL_API_KEY in .env.',
    timeoutMs: 30_000,
    environment,
    breaker,
  })
  const named = environment['PARALLEL_SEARCH_MODE'] || 'agentic'
  return {
    async search({ text, limit }, signal) {
      const body = {
        objective: text,
        search_queries: [text],
        mode: modes[named] ?? named,
        advanced_settings: { max_results: limit },
      }
      const { results } = await client.call(found, { method: 'POST', path: '/v1/search', body }, signal)
      return results.map(({ url, title, excerpts }) => ({
        url,
        title: title ?? '',
        description: (excerpts ?? []).join(' … '),
      }))
    },
    async read(urls, signal) {
      const body = { urls, advanced_settings: { full_content: { max_chars_per_result: maxPageChars } } }
      const request = { method: 'POST', path: '/v1/extract', body, timeoutMs: 60_000 } as const
      const { results, errors } = await client.call(extracted, request, signal)
      return urls.map((url): PageAnswer => {
        const page = results.find((one) => one.url === url)
        const text = page?.full_content || (page?.excerpts ?? []).join('\n\n')
        if (page && text !== '') return { type: 'page', url, from: url, title: page.title ?? '', text }
        const { error_type: kind, http_status_code: status } = errors?.find((one) => one.url === url) ?? {}
        return { type: 'failed', url, reason: [kind ?? 'nothing came of it', ...(status ? [status] : [])].join(' ') }
      })
    },
  }
}
