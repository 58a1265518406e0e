// SearXNG: https://docs.searxng.org/dev/search_api.html. Formats that the settings do not list are refused with 403.
import { bareRoute, ok, startStandIn } from '../memory-services/stand-in.ts'
import { pagesAbout, snippetOf } from './pages.ts'
import type { StandInPage } from './pages.ts'

export interface SearxngSettings {
  readonly formats?: readonly string[]
  /** Engines that do not answer, each with the reason. */
  readonly unresponsive?: readonly (readonly [string, string])[]
}

export async function startSearxng(
  pages: readonly StandInPage[],
  { formats = ['html', 'json'], unresponsive = [] }: SearxngSettings = {},
) {
  const routes = [
    bareRoute('GET', '/search', ({ query }) => {
      if (!formats.includes(query.get('format') ?? 'html')) return { status: 403, body: 'Forbidden' }
      const q = query.get('q') ?? ''
      if (q === '') return { status: 400, body: { error: 'No query' } }
      const found = unresponsive.length > 0 ? [] : pagesAbout(q, pages)
      const results = found.map((page) => ({ url: page.url, title: page.title, content: snippetOf(page), engine: 'x' }))
      return ok({ query: q, number_of_results: 0, results, answers: [], unresponsive_engines: unresponsive })
    }),
  ]
  return startStandIn(routes, {
    authorize: () => undefined,
    notFound: { status: 404, body: 'Not Found' },
    invalid: () => ({ status: 400, body: 'Bad Request' }),
  })
}
