import { createHash } from 'node:crypto'
import type { AuthDocument, JsonRecord } from './auth-file.ts'
import { storedEntries } from './auth-entries.ts'
import { clearedStatus, newEntry, type PoolEntry, toEntry } from './entry.ts'
import { entryGrantStore } from './entry-grant.ts'
import type { GrantStore } from './grant.ts'
import { anthropicRank, type Seed, type SeedContext, seedsFor } from './seeds.ts'
import type { PoolStrategy } from './strategy.ts'

/** One credential of a provider's pool: stored there, or found elsewhere and shown there. */
export interface PooledCredential {
  readonly entry: PoolEntry
  /** What its entry in `auth.json` is made of, when something about it must be kept. */
  readonly fresh: JsonRecord
  /** Whether it has an entry in `auth.json`. */
  readonly isStored: boolean
  /** The place that owns its tokens, where they can be renewed. */
  readonly store: GrantStore | undefined
}

/**
 * The pool of a provider as it is now: entries of `auth.json` with what their origins hold today, then what was found
 * and has no entry yet. Entries whose origin has gone are left out.
 */
export async function poolView(
  provider: string,
  strategy: PoolStrategy,
  document: AuthDocument,
  context: SeedContext,
): Promise<readonly PooledCredential[]> {
  const seeds = new Map((await seedsFor(provider, document, context)).map((seed) => [seed.source, seed]))
  const stored = storedEntries(document, provider)
  const shown = stored.flatMap((entry) => {
    const seed = seeds.get(entry.source)
    if (seed) seeds.delete(entry.source)
    if (!seed && !isManual(entry.source)) return []
    return [seed ? seeded(provider, entry, seed) : owned(provider, entry, context)]
  })
  const found = [...seeds.values()].map((seed) => fromSeed(provider, seed))
  const all = [...shown, ...found]
  // Rotation keeps an order of its own.
  return provider === 'anthropic' && strategy !== 'round_robin' ? all.toSorted(byAnthropicRank) : all
}

/** Entries that people made themselves stay until they are taken out. */
export function isManual(source: string): boolean {
  return source === 'manual' || source.startsWith('manual:')
}

function byAnthropicRank(a: PooledCredential, b: PooledCredential): number {
  const rank = ({ entry: { source } }: PooledCredential) => (isManual(source) ? -1 : anthropicRank(source))
  return rank(a) - rank(b)
}

/** An entry whose secret lives elsewhere: it shows what is there now. */
function seeded(provider: string, entry: PoolEntry, seed: Seed): PooledCredential {
  const isNewSecret = entry.access_token !== seed.fields.access_token
  // Another key is not to blame for what the last one did. A renewed token is still the same account: its quota stays
  // used up, but a refusal of the old token is over.
  const isForgiven = isNewSecret && (entry.auth_type === 'api_key' || entry.last_error_code === 401)
  const { label, ...fields } = seed.fields
  const fresh = { ...fields, ...(isForgiven && clearedStatus) }
  return {
    entry: toEntry({ ...entry, ...fresh, label: entry.label || label }) ?? entry,
    fresh,
    isStored: true,
    store: seed.store?.(entry.id),
  }
}

function fromSeed(provider: string, { source, fields, store }: Seed): PooledCredential {
  const id = createHash('sha256').update(`${provider}:${source}`).digest('hex').slice(0, 6)
  const label = typeof fields['label'] === 'string' ? fields['label'] : source
  const type = fields['auth_type'] === 'oauth' ? 'oauth' : 'api_key'
  const fresh = newEntry({ ...fields, id, label, auth_type: type, priority: 0, source })
  const entry = toEntry(fresh)
  // newEntry gives every field that an entry must have.
  if (!entry) throw new TypeError('a new pool entry does not fit its schema')
  return { entry, fresh, isStored: false, store: store?.(id) }
}

/** An entry that owns its secret. */
function owned(provider: string, entry: PoolEntry, { file, now }: SeedContext): PooledCredential {
  const title = `${entry.label ?? entry.id} (${provider})`
  const isGrant = entry.auth_type === 'oauth'
  const store = isGrant ? entryGrantStore({ file, provider, id: entry.id, inState: false, title, now }) : undefined
  return { entry, fresh: {}, isStored: true, store }
}
