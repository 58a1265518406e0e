import type { AgentContext } from '../agent/context.ts'
import { findChromium } from './local/find-chromium.ts'

export type BackendName = 'local' | 'cdp' | 'browserbase' | 'browser-use' | 'firecrawl'

/** The way to a browser that a profile uses, or what is missing for it. */
export type BackendChoice = { readonly name: BackendName; readonly missing?: string }

/** What each service needs from the environment. */
const keysOf = {
  browserbase: ['BROWSERBASE_API_KEY', 'BROWSERBASE_PROJECT_ID'],
  'browser-use': ['BROWSER_USE_API_KEY'],
  firecrawl: ['FIRECRAWL_API_KEY'],
} as const

/**
 * A given address goes before everything, then what `browser.cloud_provider` names. Else the first service whose keys
 * there are; that of Firecrawl says nothing, since it is for its search. Else a browser of this machine.
 */
export function chooseBackend(
  { config, environment }: Pick<AgentContext, 'config' | 'environment'>,
  cdpUrl?: string,
  find: () => string | undefined = () => findChromium(environment),
): BackendChoice {
  if (cdpUrl ?? environment['BROWSER_CDP_URL']) return { name: 'cdp' }
  const named = config.browser.cloud_provider
  if (named === 'local') return localChoice(find())
  if (named !== '') {
    const lacking = keysOf[named].filter((key) => !environment[key])
    return lacking.length === 0
      ? { name: named }
      : { name: named, missing: `browser.cloud_provider is ${named}, which needs ${lacking.join(' and ')} in .env` }
  }
  const found = (['browser-use', 'browserbase'] as const).find((name) => keysOf[name].every((key) => environment[key]))
  return found ? { name: found } : localChoice(find())
}

function localChoice(chromium: string | undefined): BackendChoice {
  if (chromium !== undefined) return { name: 'local' }
  return {
    name: 'local',
    missing:
      'no Chromium or Chrome was found: install it (e.g. apt install chromium), name it in BROWSER_PATH, set BROWSER_CDP_URL to a running one, or BROWSERBASE_API_KEY or BROWSER_USE_API_KEY for one in the cloud',
  }
}
