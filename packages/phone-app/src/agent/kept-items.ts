import type { ChatItem } from './chat-item.ts'

/** Items that stay on the phone over a reload, and characters of one text. */
const [maxKept, maxChars] = [200, 50_000]

/** How long a change may wait to be written, ms: drafts change often. */
const writeAfterMs = 300

/** A conversation in the browser's storage; of files only what they are called. */
export interface KeptItems {
  read(): readonly ChatItem[]
  write(items: readonly ChatItem[]): void
  /** Writes at once what waits to be written. */
  flush(): void
  /** Removes it; nothing is written any more. */
  forget(): void
}

export function createKeptItems(deviceId: string): KeptItems {
  const key = `hermes-chat-${deviceId}`
  let waiting: readonly ChatItem[] | undefined
  let last: readonly ChatItem[] | undefined
  let isForgotten = false
  const flush = () => {
    if (!waiting || isForgotten) return
    const items = waiting
      .slice(-maxKept)
      .map((item) => ('text' in item ? { ...item, text: item.text.slice(0, maxChars) } : item))
    waiting = undefined
    try {
      localStorage.setItem(key, JSON.stringify(items))
    } catch {
      // Storage that is full or forbidden: the conversation lasts as long as the page.
    }
  }
  addEventListener('pagehide', flush)
  return {
    read() {
      try {
        const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
        return Array.isArray(stored) ? stored.filter(isItem) : []
      } catch {
        return []
      }
    },
    write(items) {
      if (items === last) return
      if (waiting === undefined) setTimeout(flush, writeAfterMs)
      waiting = last = items
    },
    flush,
    forget() {
      isForgotten = true
      localStorage.removeItem(key)
    },
  }
}

/** Written by this page alone; what another version wrote may be anything. */
function isItem(value: unknown): value is ChatItem {
  if (typeof value !== 'object' || value === null) return false
  const { type, id } = value as { readonly type?: unknown; readonly id?: unknown }
  return typeof id === 'string' && ['message', 'notice', 'tool', 'file', 'card'].includes(String(type))
}
