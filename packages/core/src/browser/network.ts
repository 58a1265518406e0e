import type { AgentContext } from '../agent/context.ts'
import { networkRules } from '../security/network/network-rules.ts'
import type { NetworkRules } from '../security/network/network-rules.ts'

/** What a browser may open: as everything else, and private addresses also where `browser.allow_private_urls` is on. */
export function browserRules({ home, config }: Pick<AgentContext, 'home' | 'config'>): NetworkRules {
  const { security, browser } = config
  const allow = security.allow_private_urls || browser.allow_private_urls
  return networkRules({ ...security, allow_private_urls: allow }, { home })
}
