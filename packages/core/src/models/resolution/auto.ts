import type { Choice } from './choice.ts'
import { providerAt } from './endpoints.ts'
import type { EndpointSources } from './endpoints.ts'

/**
 * The provider that `auto` comes to by the settings alone: where the configured address is, else the first whose key is
 * set, else the first endpoint of the person's own. Undefined when nothing is configured.
 */
export function autoProvider(choice: Choice, sources: EndpointSources): string | undefined {
  const { providers, own, environment } = sources
  if (choice.baseUrl !== undefined) return providerAt(choice.baseUrl, sources).name
  const isSet = (name: string): boolean => Boolean(environment[name]?.trim())
  const byKey = [...providers.values()].find((facts) => facts.isFoundByKey && facts.keyNames.some(isSet))
  if (byKey) return byKey.name
  if (isSet('OPENAI_BASE_URL')) return 'custom'
  return own.keys().next().value
}
