// Exa's API: https://exa.ai/docs/reference/search, .../get-contents. A page that could not be had is told in `statuses`
// of a successful answer; results are found again by `id`, which is the URL that was asked for.
import { z } from 'zod'
import { createServiceClient } from '../../services/service-client.ts'
import type { OpenWebProvider, PageAnswer } from '../web-provider.ts'

const result = z.looseObject({
  id: z.string().nullish(),
  url: z.string(),
  title: z.string().nullish(),
  text: z.string().nullish(),
  highlights: z.array(z.string()).nullish(),
})
const found = z.looseObject({ results: z.array(result) })
const status = z.looseObject({
  id: z.string(),
  status: z.string(),
  error: z.looseObject({ tag: z.string().nullish(), httpStatusCode: z.number().nullish() }).nullish(),
})
const contents = z.looseObject({ results: z.array(result), statuses: z.array(status).nullish() })

export const openExa: OpenWebProvider = ({ environment, breaker }) => {
  const client = createServiceClient({
    service: 'Exa',
    baseUrl: environment['EXA_API_URL'] || 'https://api.exa.ai',
    auth: { header: 'x-api-key', key: environment['EXA_API_KEY'] ?? '' },
    keyHint: 'Check EXA_API_KEY in .env.',
    headers: { 'x-exa-integration': 'hermes' },
    timeoutMs: 30_000,
    environment,
    breaker,
  })
  return {
    async search({ text: query, limit }, signal) {
      const body = { query, numResults: limit, type: 'auto', contents: { highlights: true } }
      const { results } = await client.call(found, { method: 'POST', path: '/search', body }, signal)
      return results.map(({ url, title, highlights }) => ({
        url,
        title: title ?? '',
        description: (highlights ?? []).join(' … '),
      }))
    },
    async read(urls, signal) {
      const request = { method: 'POST', path: '/contents', body: { urls, text: true }, timeoutMs: 60_000 } as const
      const { results, statuses } = await client.call(contents, request, signal)
      return urls.map((url): PageAnswer => {
        const page = results.find((one) => one.id === url || one.url === url)
        if (page) return { type: 'page', url, from: page.url, title: page.title ?? '', text: page.text ?? '' }
        const { tag, httpStatusCode } = statuses?.find((one) => one.id === url)?.error ?? {}
        const reason = [tag ?? 'nothing came of it', ...(httpStatusCode ? [httpStatusCode] : [])].join(' ')
        return { type: 'failed', url, reason }
      })
    },
  }
}
