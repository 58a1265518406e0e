import type { AgentContext } from '../agent/context.ts'
import { createGuardedFetch } from '../security/network/guarded-fetch.ts'
import type { WebProvider, WebProviderFacts } from './web-provider.ts'
import type { WebSession } from './web-session.ts'

type Agent = Pick<AgentContext, 'config' | 'environment' | 'home'>

/** Loads a service and makes it ready. Throws `ServiceError` `unconfigured` for settings of no use. */
export async function openProvider(
  facts: WebProviderFacts,
  { agent, web }: { readonly agent: Agent; readonly web: WebSession },
): Promise<WebProvider> {
  const open = await facts.load()
  const { environment, home, config } = agent
  const guarded = createGuardedFetch({ home, environment, settings: config.security })
  return open({ environment, breaker: web.breakerOf(facts.title), web: guarded, pace: web.pace })
}
