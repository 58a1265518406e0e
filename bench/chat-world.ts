import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createTimedModel } from './timed-model.ts'
import type { Exchange } from './timed-model.ts'

/** A chat service and a model in the process that measures, so that one clock sees both ends of the gateway. */
export interface ChatWorld extends AsyncDisposable {
  readonly url: string
  /** A person writes. The model thinks for so long, ms; for ever where it is infinite. */
  write(chat: string, message: string, thinkMs: number): Exchange
  /** Resolves when all of them were posted; rejects when that takes longer. */
  until(exchanges: readonly Exchange[], timeoutMs: number): Promise<void>
}

export async function startChatWorld(): Promise<ChatWorld> {
  const model = createTimedModel()
  const updates: { id: string; chat: string; text: string }[] = []
  const watchers = new Set<() => void>()
  const changed = () => {
    for (const watcher of watchers) watcher()
    watchers.clear()
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith('/chat/completions')) return model.serve(request, response)
    if (request.url === '/updates') {
      while (updates.length === 0 && !response.destroyed) await new Promise<void>((resolve) => watchers.add(resolve))
      response.end(JSON.stringify(updates.splice(0)))
      return
    }
    const post = JSON.parse(await text(request)) as { readonly chat: string }
    model.posted(post.chat)
    response.end('{}')
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    write(chat, message, thinkMs) {
      const { exchange, words } = model.begin(chat, { thinkMs })
      updates.push({ id: words, chat, text: message.replace('%', words) })
      changed()
      return exchange
    },
    until: (exchanges, timeoutMs) => model.until(exchanges, timeoutMs),
    async [Symbol.asyncDispose]() {
      changed()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
