import type { Environment } from '../../agent/context.ts'
import type { WebProviderFacts } from '../web-provider.ts'

const anyOf =
  (...names: readonly string[]) =>
  (environment: Environment) =>
    names.some((name) => Boolean(environment[name]))

/** The services that search the web, in the order in which they are looked for where `web.backend` names none. */
export const webProviders: readonly WebProviderFacts[] = [
  {
    name: 'firecrawl',
    title: 'Firecrawl',
    needs: 'FIRECRAWL_API_KEY (or FIRECRAWL_API_URL of your own server)',
    reads: true,
    isConfigured: (environment) =>
      anyOf('FIRECRAWL_API_KEY', 'FIRECRAWL_API_URL')(environment) ||
      (anyOf('TOOL_GATEWAY_USER_TOKEN')(environment) &&
        anyOf('FIRECRAWL_GATEWAY_URL', 'TOOL_GATEWAY_DOMAIN')(environment)),
    load: async () => (await import('./firecrawl.ts')).openFirecrawl,
  },
  {
    name: 'parallel',
    title: 'Parallel',
    needs: 'PARALLEL_API_KEY',
    reads: true,
    isConfigured: anyOf('PARALLEL_API_KEY'),
    load: async () => (await import('./parallel.ts')).openParallel,
  },
  {
    name: 'tavily',
    title: 'Tavily',
    needs: 'TAVILY_API_KEY',
    reads: true,
    isConfigured: anyOf('TAVILY_API_KEY'),
    load: async () => (await import('./tavily.ts')).openTavily,
  },
  {
    name: 'exa',
    title: 'Exa',
    needs: 'EXA_API_KEY',
    reads: true,
    isConfigured: anyOf('EXA_API_KEY'),
    load: async () => (await import('./exa.ts')).openExa,
  },
  {
    name: 'brave',
    title: 'Brave Search',
    needs: 'BRAVE_SEARCH_API_KEY',
    reads: false,
    isConfigured: anyOf('BRAVE_SEARCH_API_KEY', 'BRAVE_API_KEY'),
    load: async () => (await import('./brave.ts')).openBrave,
  },
  {
    name: 'searxng',
    title: 'SearXNG',
    needs: 'SEARXNG_URL',
    reads: false,
    isConfigured: anyOf('SEARXNG_URL'),
    load: async () => (await import('./searxng.ts')).openSearxng,
  },
  {
    name: 'duckduckgo',
    title: 'DuckDuckGo',
    reads: false,
    isConfigured: () => true,
    load: async () => (await import('./duckduckgo.ts')).openDuckDuckGo,
  },
]
