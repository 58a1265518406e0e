import type { Environment } from '../agent/context.ts'
import { webProviders } from './providers/registry.ts'
import type { WebProviderFacts } from './web-provider.ts'

interface ProviderSettings {
  readonly config: { readonly web: { readonly backend: string } }
  readonly environment: Environment
}

/**
 * Who searches, in the order in which they are asked: the service that `web.backend` names and no other, else all that
 * are configured. The last of these takes no key, so that the list is empty only where the named one lacks something.
 */
export function searchProviders({ config, environment }: ProviderSettings): readonly WebProviderFacts[] {
  const { backend } = config.web
  return webProviders.filter((one) => (backend === '' || one.name === backend) && one.isConfigured(environment))
}

/** Who reads pages; undefined: they are fetched by ourselves. */
export function readingProvider(settings: ProviderSettings): WebProviderFacts | undefined {
  return searchProviders(settings).find(({ reads }) => reads)
}

/** What the service that `web.backend` names lacks, and how to get it; undefined where nothing is missing. */
export function whatBackendLacks(settings: ProviderSettings): string | undefined {
  if (searchProviders(settings).length > 0) return undefined
  const { backend } = settings.config.web
  const facts = webProviders.find(({ name }) => name === backend)
  return `web.backend is ${backend}, which needs ${facts?.needs ?? 'another version'} in .env; or choose another one: hermes config set web.backend duckduckgo`
}
