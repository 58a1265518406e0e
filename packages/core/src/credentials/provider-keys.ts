import { canonicalName } from '../models/providers/aliases.ts'
import type { ProviderFacts } from '../models/providers/provider.ts'
import { knownProviders } from '../models/providers/registry.ts'
import { customKey } from './custom-key.ts'

/** Where the keys of one provider come from, and where they are sent. */
export interface ProviderKeys extends Pick<
  ProviderFacts,
  'keys' | 'needsKey' | 'baseUrlVariable' | 'baseUrl' | 'baseUrlByPrefix'
> {
  /** What people call it. */
  readonly title: string
}

/**
 * Every provider that takes a key or a sign-in, by its id in `config.yaml` and `auth.json`. It has no names of its own,
 * such as `constructor`: those files may have any.
 */
export const providerKeys: Readonly<Record<string, ProviderKeys>> = Object.setPrototypeOf(
  Object.fromEntries([...knownProviders().values()].map((facts) => [facts.name, { ...facts, title: facts.label }])),
  null,
)

/** The provider id that a name or alias means, in any case; undefined when none does. `custom:…` stands for itself. */
export function providerId(name: string): string | undefined {
  const id = canonicalName(name)
  if (id.startsWith('custom:')) return customKey(id.slice('custom:'.length))
  return Object.hasOwn(providerKeys, id) ? id : undefined
}
