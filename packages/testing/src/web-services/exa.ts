// Exa's API: https://exa.ai/docs/reference/search, .../get-contents, .../error-codes. Options of contents are nested in a
// search and not in /contents, whose `statuses` tell what could not be had.
import { z } from 'zod'
import { ok, route, startStandIn } from '../memory-services/stand-in.ts'
import type { Reply } from '../memory-services/stand-in.ts'
import { pagesAbout, snippetOf } from './pages.ts'
import type { StandInPage } from './pages.ts'

const wanted = z.union([z.boolean(), z.looseObject({})]).optional()
const searchBody = z.looseObject({
  query: z.string().min(1),
  numResults: z.int().min(1).max(100).default(10),
  type: z.string().optional(),
  contents: z.looseObject({ text: wanted, highlights: wanted }).optional(),
})
const contentsBody = z.looseObject({
  urls: z.array(z.string().min(1)).min(1).max(100),
  text: wanted,
  highlights: wanted,
})

const failed = (status: number, tag: string, error: string): Reply => ({
  status,
  body: { requestId: 'r', error, tag },
})

export async function startExa(pages: readonly StandInPage[], key = 'made-up-key-of-exa') {
  const shown = (page: StandInPage, options: { readonly text?: unknown; readonly highlights?: unknown }) => ({
    id: page.url,
    url: page.from ?? page.url,
    title: page.title,
    publishedDate: null,
    author: null,
    ...(options.text ? { text: page.text } : {}),
    ...(options.highlights ? { highlights: [snippetOf(page)], highlightScores: [0.5] } : {}),
  })
  const routes = [
    route('POST', '/search', searchBody, ({ body }) => {
      const found = pagesAbout(body.query, pages).slice(0, body.numResults)
      const results = found.map((page) => shown(page, body.contents ?? {}))
      return ok({ requestId: 'r', resolvedSearchType: 'neural', results, costDollars: { total: 0.005 } })
    }),
    route('POST', '/contents', contentsBody, ({ body }) => {
      const known = body.urls.map((url) => ({ url, page: pages.find((one) => one.url === url) }))
      const results = known.flatMap(({ page }) => (page && page.status === undefined ? [shown(page, body)] : []))
      const statuses = known.map(({ url, page }) =>
        page && page.status === undefined
          ? { id: url, status: 'success' }
          : { id: url, status: 'error', error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: page?.status ?? 404 } },
      )
      return ok({ requestId: 'r', results, statuses })
    }),
  ]
  const service = await startStandIn(routes, {
    authorize: (headers) =>
      headers['x-api-key'] === key ? undefined : failed(401, 'INVALID_API_KEY', 'Invalid API key'),
    notFound: failed(404, 'NOT_FOUND', 'Cannot find that route'),
    invalid: (error) => failed(400, 'INVALID_REQUEST_BODY', z.prettifyError(error)),
  })
  return { ...service, key }
}
