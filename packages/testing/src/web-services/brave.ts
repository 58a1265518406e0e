// Brave's Web Search API: https://api-dashboard.search.brave.com/app/documentation/web-search/query. Errors are objects
// under `error`; a wrong key is told with status 422.
import { bareRoute, ok, startStandIn } from '../memory-services/stand-in.ts'
import type { Reply } from '../memory-services/stand-in.ts'
import { pagesAbout, snippetOf } from './pages.ts'
import type { StandInPage } from './pages.ts'

const failed = (status: number, code: string, detail: string): Reply => ({
  status,
  body: { id: 'r', status, type: 'ErrorResponse', time: 1, error: { id: 'r', status, code, detail } },
})

export async function startBrave(pages: readonly StandInPage[], key = 'BSA-made-up-key') {
  const routes = [
    bareRoute('GET', '/res/v1/web/search', ({ query }) => {
      const q = query.get('q') ?? ''
      const count = Number(query.get('count') ?? 20)
      const isBad = q === '' || q.length > 400 || q.split(/\s+/).length > 50 || !(count >= 1 && count <= 20)
      if (isBad) return failed(422, 'VALIDATION', 'Unable to validate request parameter(s)')
      const found = pagesAbout(q, pages).slice(0, count)
      // It decorates what matches unless told not to, and escapes what could be markup.
      const isDecorated = query.get('text_decorations') !== 'false'
      const results = found.map((page) => ({
        type: 'search_result',
        url: page.url,
        title: isDecorated ? `<strong>${page.title}</strong>` : page.title,
        description: snippetOf(page).replaceAll('&', '&amp;').replaceAll("'", '&#x27;'),
      }))
      return ok({
        type: 'search',
        query: { original: q },
        ...(results.length > 0 && { web: { type: 'search', results } }),
      })
    }),
  ]
  const service = await startStandIn(routes, {
    authorize: (headers) =>
      headers['x-subscription-token'] === key
        ? undefined
        : failed(422, 'SUBSCRIPTION_TOKEN_INVALID', 'The provided subscription token is invalid.'),
    notFound: failed(404, 'NOT_FOUND', 'Not found'),
    invalid: () => failed(422, 'VALIDATION', 'Unable to validate request parameter(s)'),
  })
  return { ...service, key }
}
