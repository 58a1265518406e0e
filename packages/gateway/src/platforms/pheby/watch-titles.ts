import { sessionOf } from './conversation-view.ts'
import type { Pheby } from './pheby.ts'

/** When a conversation is looked at again after its run, ms: a model makes the title meanwhile. */
const looksMs = [300, 1_000, 2_000, 4_000, 8_000, 16_000]

/** Most conversations that are waited for. */
const maxWaiting = 100

/** Tells clients what a conversation is called that nobody has named, once its session has a title. */
export interface TitleWatch extends Disposable {
  /** A run of the conversation has ended. */
  look(conversationId: string): void
}

export function watchTitles(pheby: Pick<Pheby, 'host' | 'clients' | 'conversations'>): TitleWatch {
  const { host, clients, conversations } = pheby
  const waiting = new Map<string, NodeJS.Timeout>()

  async function attempt(id: string, tries: number): Promise<void> {
    const conversation = await conversations.find(id)
    if (!conversation || conversation.name !== '') return void waiting.delete(id)
    const title = (await sessionOf(pheby, id))?.session?.title
    if (title === undefined) return plan(id, tries + 1)
    waiting.delete(id)
    // From now on it is called that, also where its session gets another title.
    if (!(await conversations.suggestName(id, title))) return
    clients.broadcast({ type: 'conversation.updated', conversation_id: id, name: title })
  }

  function plan(id: string, tries: number): void {
    const delay = looksMs[tries]
    if (delay === undefined) return void waiting.delete(id)
    const look = () =>
      attempt(id, tries).catch((error: unknown) => {
        waiting.delete(id)
        host.log.error({ error: String(error) }, 'the title of a conversation cannot be looked up')
      })
    waiting.set(id, setTimeout(() => void look(), delay).unref())
  }

  return {
    look(id) {
      if (!waiting.has(id) && waiting.size < maxWaiting) plan(id, 0)
    },
    [Symbol.dispose]() {
      for (const timer of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}
