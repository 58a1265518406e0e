import { emptyState } from './chat-item.ts'
import type { ChatItem, ChatState } from './chat-item.ts'

/** What the page shows, and who is told when it changes. */
export interface ChatStore {
  readonly state: ChatState
  set(change: Partial<ChatState>): void
  /** Adds an item, or puts it in the place of the one with its id. */
  put(item: ChatItem): void
  /** The same, as the last one. */
  putLast(item: ChatItem): void
  find(id: string): ChatItem | undefined
  /** What the agent wrote stays as it is; `but`: the one that it still writes. */
  endDrafts(but?: string): void
  onChange(listener: () => void): () => void
}

/** Items of one conversation that are kept on the page; the oldest go first. */
export const maxItems = 500

export function createStore(items: readonly ChatItem[] = []): ChatStore {
  const listeners = new Set<() => void>()
  let state: ChatState = { ...emptyState, items }
  const set = (change: Partial<ChatState>) => {
    state = { ...state, ...change }
    for (const listener of listeners) listener()
  }
  return {
    get state() {
      return state
    },
    set,
    put(item) {
      const at = state.items.findIndex(({ id }) => id === item.id)
      const next = at === -1 ? [...state.items, item] : state.items.with(at, item)
      set({ items: next.slice(-maxItems) })
    },
    putLast(item) {
      const others = state.items.filter(({ id }) => id !== item.id)
      set({ items: [...others, item].slice(-maxItems) })
    },
    find: (id) => state.items.find((item) => item.id === id),
    endDrafts(but) {
      const isEnded = (item: ChatItem) => item.type === 'message' && item.isDraft === true && item.id !== but
      if (!state.items.some(isEnded)) return
      set({ items: state.items.map((item) => (isEnded(item) ? { ...item, isDraft: false } : item)) })
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
