import type { AgentContext } from '../agent/context.ts'
import { ServiceError } from '../services/service-error.ts'
import { searchProviders, whatBackendLacks } from './choose-providers.ts'
import { openProvider } from './open-provider.ts'
import type { SearchHit, WebProviderFacts, WebQuery } from './web-provider.ts'
import type { WebSession } from './web-session.ts'

export interface WebSearch {
  readonly hits: readonly SearchHit[]
  readonly provider: WebProviderFacts
  /** Why services that come before it gave nothing. */
  readonly failures: readonly string[]
}

export type WebContext = Pick<AgentContext, 'config' | 'environment' | 'home' | 'log' | 'redactor'>

/**
 * Asks the services in their order until one answers. Throws `ServiceError`: of the one that `web.backend` names, or one
 * that tells what each of them said; when `signal` aborts, its reason.
 */
export async function searchWeb(
  query: WebQuery,
  { agent, web }: { readonly agent: WebContext; readonly web: WebSession },
  signal: AbortSignal,
): Promise<WebSearch> {
  const providers = searchProviders(agent)
  const failures: ServiceError[] = []
  for (const provider of providers) {
    try {
      const hits = await (await openProvider(provider, { agent, web })).search(query, signal)
      return { hits: hits.slice(0, query.limit), provider, failures: failures.map(({ message }) => message) }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ServiceError)) throw error
      agent.log.warn({ provider: provider.name, code: error.code, error: error.message }, 'web search failed')
      failures.push(error)
    }
  }
  const [first, ...rest] = failures
  if (!first) throw new ServiceError('unconfigured', whatBackendLacks(agent) ?? 'No service searches the web.')
  if (rest.length === 0) throw first
  throw new ServiceError(first.code, failures.map(({ message }) => message).join(' '), { cause: first })
}
