// Parallel's Search and Extract API v1, as its own client has it: https://docs.parallel.ai/api-reference/search/search,
// .../extract/extract. Pages that could not be had are in `errors` of a successful answer.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { ok, route, startStandIn } from '../memory-services/stand-in.ts'
import type { Reply } from '../memory-services/stand-in.ts'
import { pagesAbout, snippetOf } from './pages.ts'
import type { StandInPage } from './pages.ts'

const searchBody = z.looseObject({
  search_queries: z.array(z.string().min(1)).min(1).max(5),
  objective: z.string().max(5000).nullish(),
  mode: z.enum(['turbo', 'fast', 'basic', 'advanced']).nullish(),
  advanced_settings: z.looseObject({ max_results: z.int().min(1).nullish() }).nullish(),
})
const chars = z.looseObject({ max_chars_per_result: z.int().min(1).nullish() })
const extractBody = z.looseObject({
  urls: z.array(z.string().min(1)).min(1).max(20),
  advanced_settings: z.looseObject({ full_content: z.union([z.boolean(), chars]).nullish() }).nullish(),
})

const failed = (status: number, message: string): Reply => ({
  status,
  body: { type: 'error', error: { ref_id: randomUUID(), message } },
})

export async function startParallel(pages: readonly StandInPage[], key = 'made-up-key-of-parallel') {
  const routes = [
    route('POST', '/v1/search', searchBody, ({ body }) => {
      const results = pagesAbout(body.search_queries.join(' '), pages)
        .slice(0, body.advanced_settings?.max_results ?? 10)
        .map((page) => ({ url: page.url, title: page.title, publish_date: null, excerpts: [snippetOf(page)] }))
      return ok({ search_id: `search_${randomUUID()}`, session_id: 's', results, warnings: null, usage: [] })
    }),
    route('POST', '/v1/extract', extractBody, ({ body }) => {
      const known = body.urls.map((url) => ({ url, page: pages.find((one) => one.url === url) }))
      const isFull = Boolean(body.advanced_settings?.full_content)
      const results = known.flatMap(({ url, page }) =>
        page && page.status === undefined
          ? [{ url, title: page.title, excerpts: [snippetOf(page)], full_content: isFull ? page.text : null }]
          : [],
      )
      const errors = known.flatMap(({ url, page }) =>
        page && page.status === undefined
          ? []
          : [{ url, error_type: 'fetch_error', http_status_code: page?.status ?? null, content: null }],
      )
      return ok({ extract_id: `extract_${randomUUID()}`, session_id: 's', results, errors, warnings: null, usage: [] })
    }),
  ]
  const service = await startStandIn(routes, {
    authorize: (headers) => (headers['x-api-key'] === key ? undefined : failed(401, 'Unauthorized')),
    notFound: failed(404, 'Not found'),
    invalid: (error) => failed(422, z.prettifyError(error)),
  })
  return { ...service, key }
}
