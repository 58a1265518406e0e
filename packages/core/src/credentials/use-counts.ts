import type { AuthDocument, AuthFile } from './auth-file.ts'
import { keepEntry, patchEntry, storedEntries } from './auth-entries.ts'
import { clearedStatus, coolingUntilMs } from './entry.ts'
import type { PooledCredential } from './pool-view.ts'
import type { Candidate, PoolStrategy } from './strategy.ts'

/** Uses that are written together, where the strategy only counts them. */
const usesPerWrite = 32
/** The same, where other processes choose by them. */
const usesPerSharedWrite = 8

export interface UseCountsOptions {
  readonly file: AuthFile
  readonly view: (provider: string) => Promise<readonly PooledCredential[]>
  readonly strategyOf: (provider: string) => PoolStrategy
  readonly now: () => number
}

/** Counts the uses of keys, in memory first and in `auth.json` a batch at a time. */
export interface UseCounts {
  candidate(provider: string, credential: PooledCredential): Candidate
  used(provider: string, credential: PooledCredential): void
  /** A request with it went well: once its rest is over, what was held against it is forgotten. */
  wentWell(provider: string, credential: PooledCredential): void
  /** Whether enough has come together to be written. */
  isDue(provider: string): boolean
  save(): Promise<void>
}

/** What is not in the file yet. */
interface Unsaved {
  uses: number
  lastUse: number
  wentWell: boolean
}

export function createUseCounts({ file, view, strategyOf, now }: UseCountsOptions): UseCounts {
  const providers = new Map<string, Map<string, Unsaved>>()
  let sequence = 0
  let saving: Promise<void> = Promise.resolve()

  const of = (provider: string, { entry: { id } }: PooledCredential): Unsaved => {
    const unsaved = providers.get(provider) ?? new Map<string, Unsaved>()
    providers.set(provider, unsaved)
    const found = unsaved.get(id) ?? { uses: 0, lastUse: 0, wentWell: false }
    unsaved.set(id, found)
    return found
  }

  const saveProvider = async (provider: string, unsaved: Map<string, Unsaved>): Promise<void> => {
    const credentials = await view(provider)
    const strategy = strategyOf(provider)
    // A key that only the environment holds gets an entry when other processes need to know of its uses.
    const isShared = credentials.length > 1 && (strategy === 'round_robin' || strategy === 'least_used')
    let written = new Map<string, Unsaved>()
    await file.update((draft) => {
      for (const credential of isShared ? credentials : []) keepEntry(draft, provider, credential, {})
      written = new Map([...unsaved].map(([id, one]) => [id, { ...one }]))
      addUses(draft, provider, written, now())
      if (strategy === 'round_robin') putUsedLast(draft, provider, written)
    })
    for (const [id, { uses, lastUse }] of written) {
      const one = unsaved.get(id)
      if (!one) continue
      one.uses -= uses
      // What was used again meanwhile is still the last one.
      if (one.lastUse === lastUse) unsaved.delete(id)
    }
  }

  return {
    candidate: (provider, { entry: { id, request_count: stored } }) => {
      const one = providers.get(provider)?.get(id)
      return { id, requestCount: stored + (one?.uses ?? 0), lastUse: one?.lastUse ?? 0 }
    },
    used: (provider, credential) => {
      const one = of(provider, credential)
      one.uses += 1
      one.lastUse = ++sequence
    },
    wentWell: (provider, credential) => {
      if (credential.entry.last_status === 'exhausted') of(provider, credential).wentWell = true
    },
    isDue: (provider) => {
      const uses = [...(providers.get(provider)?.values() ?? [])].reduce((sum, one) => sum + one.uses, 0)
      return uses >= (strategyOf(provider) === 'fill_first' ? usesPerWrite : usesPerSharedWrite)
    },
    save: () => {
      // One after the other, so that a use is in one batch alone.
      const next = saving.then(async () => {
        for (const [provider, unsaved] of providers) if (unsaved.size > 0) await saveProvider(provider, unsaved)
      })
      saving = next.catch(() => undefined)
      return next
    },
  }
}

function addUses(draft: AuthDocument, provider: string, unsaved: ReadonlyMap<string, Unsaved>, nowMs: number): void {
  for (const entry of storedEntries(draft, provider)) {
    const { uses = 0, wentWell = false } = unsaved.get(entry.id) ?? {}
    const isOver = wentWell && entry.last_status === 'exhausted' && (coolingUntilMs(entry) ?? 0) <= nowMs
    patchEntry(draft, provider, entry.id, {
      ...(uses > 0 && { request_count: entry.request_count + uses }),
      ...(isOver && { ...clearedStatus, last_status: 'ok', last_status_at: nowMs / 1000 }),
    })
  }
}

/** Those used go behind the others, in the order of their use. */
function putUsedLast(draft: AuthDocument, provider: string, unsaved: ReadonlyMap<string, Unsaved>): void {
  const lastUse = (id: string): number => unsaved.get(id)?.lastUse ?? 0
  const order = storedEntries(draft, provider).toSorted((a, b) => lastUse(a.id) - lastUse(b.id))
  for (const [priority, { id }] of order.entries()) patchEntry(draft, provider, id, { priority })
}
