import type { Redactor } from '../security/redact.ts'
import type { AuthDocument, AuthFile } from './auth-file.ts'
import { keepEntry } from './auth-entries.ts'
import { coolingUntilMs, type EntryState, type PoolEntry, stateOf, toEntry, tokenHash } from './entry.ts'
import { exhaustedStatus, type LeaseFailure } from './lease.ts'
import type { GrantEndedError } from './oauth/grant-ended.ts'
import type { PooledCredential } from './pool-view.ts'

export interface KeyMemoryOptions {
  readonly file: AuthFile
  readonly redactor: Redactor | undefined
  readonly now: () => number
}

/** What is known of keys: in `auth.json`, which all processes share, and here a moment before it is there. */
export interface KeyMemory {
  stateOf(provider: string, credential: PooledCredential): EntryState
  /** Lets a refused key rest; from the moment of the call, not only when the promise resolves. */
  rest(provider: string, credential: PooledCredential, failure: LeaseFailure): Promise<void>
  /** Lets a key rest in this process alone. */
  pause(provider: string, credential: PooledCredential, ms: number): void
  /** Marks a grant as over. Resolves to whether nobody knew. */
  end(provider: string, credential: PooledCredential, error: GrantEndedError): Promise<boolean>
}

export function createKeyMemory({ file, redactor, now }: KeyMemoryOptions): KeyMemory {
  const resting = new Map<string, { readonly sinceMs: number; readonly untilMs: number }>()
  const restUntil = (key: string, untilMs: number) => {
    const known = resting.get(key)
    if (!known || untilMs > known.untilMs || known.sinceMs > now()) resting.set(key, { sinceMs: now(), untilMs })
  }

  return {
    stateOf: (provider, { entry }) => {
      const state = stateOf(entry, now())
      const rest = resting.get(`${provider}/${entry.id}`)
      if (rest === undefined || state.name === 'ended' || state.name === 'unusable') return state
      // A clock that was set back lets no key rest for longer.
      const isResting = rest.untilMs > now() && rest.sinceMs <= now()
      return isResting ? { name: 'cooling', untilMs: rest.untilMs } : state
    },
    pause: (provider, { entry: { id } }, ms) => {
      restUntil(`${provider}/${id}`, now() + ms)
    },
    rest: async (provider, credential, failure) => {
      const { entry } = credential
      const clean = (text: string): string => withoutSecrets(redactor?.redact(text) ?? text, entry)
      const status = exhaustedStatus(failure, now(), clean)
      const untilMs = Number(status['last_error_reset_at']) * 1000
      const key = `${provider}/${entry.id}`
      restUntil(key, untilMs)
      await file.update((draft) => {
        const stored = storedEntry(draft, provider, entry.id)
        // Another process may have been told of a longer rest.
        if (stored && (coolingUntilMs(stored) ?? 0) > untilMs) return
        keepEntry(draft, provider, credential, status)
      })
      // From here on the file says so, and a reset there counts.
      if (resting.get(key)?.untilMs === untilMs) resting.delete(key)
    },
    end: async (provider, credential, { reason, token }) => {
      const ended = { at: new Date(now()).toISOString(), reason, token: tokenHash(token) }
      let isNews = false
      await file.update((draft) => {
        isNews = storedEntry(draft, provider, credential.entry.id)?.ended?.token !== ended.token
        if (isNews) keepEntry(draft, provider, credential, { ended })
      })
      return isNews
    },
  }
}

function storedEntry(document: AuthDocument, provider: string, id: string): PoolEntry | undefined {
  const stored = document.credential_pool[provider]?.find((entry) => entry['id'] === id)
  return stored && toEntry(stored)
}

/** Some providers quote the key that they refuse. */
function withoutSecrets(
  text: string,
  { access_token: access, refresh_token: refresh, agent_key: key }: PoolEntry,
): string {
  return [access, refresh, key].reduce<string>((clean, one) => (one ? clean.replaceAll(one, '***') : clean), text)
}
