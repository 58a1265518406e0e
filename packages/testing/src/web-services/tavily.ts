// Tavily's API: https://docs.tavily.com/documentation/api-reference/endpoint/search, .../extract. What is wrong is told
// in `detail.error`; pages that could not be had are in `failed_results` of a successful answer.
import { z } from 'zod'
import { isBearer } from '../memory-services/fast-api.ts'
import { ok, route, startStandIn } from '../memory-services/stand-in.ts'
import type { Reply } from '../memory-services/stand-in.ts'
import { pagesAbout, snippetOf } from './pages.ts'
import type { StandInPage } from './pages.ts'

const searchBody = z.looseObject({
  query: z.string().min(1),
  max_results: z.int().min(0).max(20).default(5),
  search_depth: z.enum(['advanced', 'basic', 'fast', 'ultra-fast']).nullish(),
})
const extractBody = z.looseObject({
  urls: z.union([z.string(), z.array(z.string()).min(1).max(20)]),
  extract_depth: z.enum(['basic', 'advanced']).nullish(),
  format: z.enum(['markdown', 'text']).default('markdown'),
})

const failed = (status: number, error: string): Reply => ({ status, body: { detail: { error } } })

export async function startTavily(pages: readonly StandInPage[], key = 'tvly-made-up-key-0123456789') {
  const routes = [
    route('POST', '/search', searchBody, ({ body }) => {
      const results = pagesAbout(body.query, pages)
        .slice(0, body.max_results)
        .map((page) => ({ url: page.url, title: page.title, content: snippetOf(page), score: 0.9, raw_content: null }))
      return ok({ query: body.query, answer: null, images: [], results, response_time: 0.1, request_id: 'r' })
    }),
    route('POST', '/extract', extractBody, ({ body }) => {
      const known = [body.urls].flat().map((url) => ({ url, page: pages.find((one) => one.url === url) }))
      const isThere = (page: StandInPage | undefined) => page !== undefined && page.status === undefined
      return ok({
        results: known
          .filter(({ page }) => isThere(page))
          .map(({ url, page }) => ({ url, title: page?.title, raw_content: page?.text, images: [] })),
        failed_results: known
          .filter(({ page }) => !isThere(page))
          .map(({ url }) => ({ url, error: 'Failed to fetch url' })),
        response_time: 0.1,
        request_id: 'r',
      })
    }),
  ]
  const service = await startStandIn(routes, {
    authorize: (headers) =>
      isBearer(headers, key) ? undefined : failed(401, 'Unauthorized: missing or invalid API key.'),
    notFound: failed(404, 'Not Found'),
    invalid: (error) => failed(400, z.prettifyError(error)),
  })
  return { ...service, key }
}
