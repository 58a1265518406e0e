import { localProvider, modelFileVariable } from '../providers/in-process.ts'
import type { ProviderFacts } from '../providers/provider.ts'
import type { Choice } from './choice.ts'
import { providerAt } from './endpoints.ts'
import type { EndpointSources } from './endpoints.ts'
import { hasKeptCredentials, variableKeys } from './key-sources.ts'

/**
 * The provider that `auto` comes to: where the configured address is, else the first in the registry's order that has a
 * key or a sign-in, else the first endpoint of the person's own, else the model file that the environment names. Undefined
 * when nothing is configured.
 */
export async function autoProvider(choice: Choice, sources: EndpointSources): Promise<string | undefined> {
  const { own, environment } = sources
  if (choice.baseUrl !== undefined) return providerAt(choice.baseUrl, sources).name
  for await (const name of usable(sources)) return name
  if (environment['OPENAI_BASE_URL']?.trim()) return 'custom'
  const [first] = own.keys()
  // A model file that the environment names is no place for a model of another name.
  const isFile = choice.model === undefined && environment[modelFileVariable]?.trim()
  return first ?? (isFile ? localProvider : undefined)
}

/** Every provider that has a key or a sign-in, in the registry's order. */
export function usableProviders(sources: EndpointSources): Promise<readonly string[]> {
  return Array.fromAsync(usable(sources))
}

async function* usable(sources: EndpointSources): AsyncGenerator<string> {
  const isKept = await keptBy(sources)
  for (const facts of sources.providers.values()) {
    const byKey = facts.isFoundByKey && variableKeys(facts.keys, facts.baseUrl, sources.environment).length > 0
    if (byKey || (await isKept(facts))) yield facts.name
  }
}

/** Whether something was added, or signed in to, for a provider; its variables are another matter. */
async function keptBy(sources: EndpointSources): Promise<(facts: ProviderFacts) => Promise<boolean>> {
  const pool = hasKeptCredentials(sources) ? await sources.credentials?.() : undefined
  return async ({ name, needsKey }) => {
    if (!pool || !needsKey) return false
    const credentials = await pool.list(name)
    return credentials.some(
      ({ source, state }) =>
        !source.startsWith('env:') && source !== 'gh_cli' && state.name !== 'ended' && state.name !== 'unusable',
    )
  }
}
