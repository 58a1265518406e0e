import type { Redactor } from '@hermes/core/security/redact.ts'
import type { SessionStore } from '@hermes/core/sessions/store.ts'

/** A store whose sessions are read for people and programs to see: without the secrets that are recognised. */
export function withoutSecrets(store: SessionStore, redactor: Redactor): SessionStore {
  const shown = <T>(value: T): T => hideSecrets(value, (text) => redactor.redact(text)) as T
  return {
    ...store,
    get: async (id) => shown(await store.get(id)),
    resolve: async (name) => shown(await store.resolve(name)),
    latest: async (source) => shown(await store.latest(source)),
    list: async (options) => shown(await store.list(options)),
    search: async (query, options) => shown(await store.search(query, options)),
    messages: async (id) => shown(await store.messages(id)),
    exportSession: async (id) => shown(await store.exportSession(id)),
  }
}

/** A copy in which every text has passed `hide`. */
function hideSecrets(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (Array.isArray(value)) return value.map((each) => hideSecrets(each, hide))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, hideSecrets(each, hide)]))
}
