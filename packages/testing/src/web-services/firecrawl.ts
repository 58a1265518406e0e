// Firecrawl's API v2: https://docs.firecrawl.dev/api-reference/endpoint/search, .../scrape, .../errors. Whatever fails
// says `success: false` and why; a page that its server refuses is a success with the status in its metadata.
import { z } from 'zod'
import { isBearer } from '../memory-services/fast-api.ts'
import { ok, route, startStandIn } from '../memory-services/stand-in.ts'
import type { Reply } from '../memory-services/stand-in.ts'
import { pagesAbout, snippetOf } from './pages.ts'
import type { StandInPage } from './pages.ts'

const searchBody = z.looseObject({
  query: z.string().min(1).max(500),
  limit: z.int().min(1).max(100).default(5),
  sources: z.array(z.union([z.enum(['web', 'images', 'news']), z.looseObject({ type: z.string() })])).optional(),
})
const scrapeBody = z.looseObject({
  url: z.url({ protocol: /^https?$/ }),
  formats: z.array(z.union([z.string(), z.looseObject({ type: z.string() })])).default(['markdown']),
  onlyMainContent: z.boolean().optional(),
  timeout: z.int().min(1000).max(300_000).optional(),
})

const failed = (status: number, error: string): Reply => ({ status, body: { success: false, error } })

export async function startFirecrawl(pages: readonly StandInPage[], key = 'fc-0123456789abcdef0123456789abcdef') {
  const routes = [
    route('POST', '/v2/search', searchBody, ({ body }) => {
      const web = pagesAbout(body.query, pages)
        .slice(0, body.limit)
        .map((page, at) => ({ url: page.url, title: page.title, description: snippetOf(page), position: at + 1 }))
      return ok({ success: true, data: { web }, creditsUsed: 2 })
    }),
    route('POST', '/v2/scrape', scrapeBody, ({ body }) => {
      const page = pages.find(({ url }) => url === body.url)
      if (!page) return failed(500, 'SCRAPE_ALL_ENGINES_FAILED: the page could not be scraped')
      const metadata = {
        title: page.title,
        sourceURL: page.url,
        url: page.from ?? page.url,
        statusCode: page.status ?? 200,
        ...(page.status !== undefined && { error: 'Not Found' }),
      }
      return ok({ success: true, data: { markdown: page.text, metadata } })
    }),
  ]
  const service = await startStandIn(routes, {
    authorize: (headers) => (isBearer(headers, key) ? undefined : failed(401, 'Unauthorized: Invalid token')),
    notFound: failed(404, 'Not Found'),
    invalid: (error) => ({
      status: 400,
      body: {
        success: false,
        error: 'Bad Request',
        details: error.issues.map(({ path, message }) => ({ path, message })),
      },
    }),
  })
  return { ...service, key }
}
