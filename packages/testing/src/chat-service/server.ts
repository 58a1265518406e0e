import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A message of a person. */
export interface ServiceUpdate {
  /** From 1 upward, over all chats. */
  readonly id: number
  readonly chatId: string
  readonly userId: string
  readonly text: string
}

/** A message that a bot sent. */
export interface ServicePost {
  readonly chatId: string
  readonly text: string
  readonly key: string
}

/**
 * A plain chat service on this machine: people's messages are fetched by long poll from an offset on, which confirms all
 * before it, as Telegram's are; what bots send is kept. A post with a key that is known is taken for the same.
 */
export interface ChatService extends AsyncDisposable {
  readonly url: string
  /** A person writes. */
  write(update: Omit<ServiceUpdate, 'id'>): ServiceUpdate
  readonly posts: readonly ServicePost[]
  /** Posts that were sent more than once, by key. */
  readonly repeated: number
  /** Resolves when there are so many posts; rejects after `timeoutMs`. */
  waitForPosts(count: number, timeoutMs: number): Promise<void>
}

export async function startChatService(): Promise<ChatService> {
  const updates: ServiceUpdate[] = []
  const posts = new Map<string, ServicePost>()
  const watchers = new Set<() => void>()
  let repeated = 0
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://service')
    if (url.pathname === '/updates') {
      const offset = Number(url.searchParams.get('offset'))
      const found = () => updates.filter(({ id }) => id >= offset)
      for (let waited = 0; found().length === 0 && waited < 20 && !response.destroyed; waited++) await nextChange(250)
      response.end(JSON.stringify(found().slice(0, 20)))
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const post = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ServicePost
    if (posts.has(post.key)) repeated++
    else posts.set(post.key, post)
    changed()
    response.end(JSON.stringify({ id: post.key }))
  }

  function nextChange(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        watchers.delete(done)
        resolve()
      }
      const timer = setTimeout(done, timeoutMs)
      watchers.add(done)
    })
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    write(update) {
      const made = { ...update, id: updates.length + 1 }
      updates.push(made)
      changed()
      return made
    },
    get posts() {
      return [...posts.values()]
    },
    get repeated() {
      return repeated
    },
    async waitForPosts(count, timeoutMs) {
      const until = performance.now() + timeoutMs
      while (posts.size < count) {
        if (performance.now() > until) throw new Error(`only ${posts.size} of ${count} posts came`)
        await nextChange(250)
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
