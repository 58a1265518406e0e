import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** What happened to one message, times as `performance.now` tells them. */
export interface Exchange {
  readonly chat: string
  readonly writtenAt: number
  /** The model was asked. */
  askedAt?: number
  /** Its answer was out. */
  answeredAt?: number
  /** The chat had it. */
  postedAt?: number
}

/** A chat service and a model in the process that measures, so that one clock sees both ends of the gateway. */
export interface ChatWorld extends AsyncDisposable {
  readonly url: string
  /** A person writes. The model thinks for so long, ms; for ever where it is infinite. */
  write(chat: string, message: string, thinkMs: number): Exchange
  /** Resolves when all of them were posted; rejects when that takes longer. */
  until(exchanges: readonly Exchange[], timeoutMs: number): Promise<void>
}

export async function startChatWorld(): Promise<ChatWorld> {
  const updates: { id: string; chat: string; text: string }[] = []
  const open = new Map<string, Exchange & { readonly thinkMs: number }>()
  const watchers = new Set<() => void>()
  let count = 0
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const change = () =>
    new Promise<void>((resolve) => {
      const done = () => {
        watchers.delete(done)
        resolve()
      }
      watchers.add(done)
    })

  async function answerModel(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    // Of all that was said, the last message of the bench is the one that is asked about.
    const id =
      body
        .match(/message of the bench (\d+)/g)
        ?.at(-1)
        ?.match(/\d+/)?.[0] ?? ''
    const isTurn = body.includes('"tools"')
    const exchange = isTurn ? open.get(id) : undefined
    if (exchange) exchange.askedAt ??= performance.now()
    if (exchange && !Number.isFinite(exchange.thinkMs)) return
    if (exchange) await new Promise((resolve) => setTimeout(resolve, exchange.thinkMs))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const frame = (choice: unknown) => `data: ${JSON.stringify({ id: 'x', model: 'bench', choices: [choice] })}\n\n`
    const content = isTurn ? `Answer ${id}` : 'A title'
    response.end(
      `${frame({ index: 0, delta: { content } })}${frame({ index: 0, delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`,
    )
    if (exchange) exchange.answeredAt = performance.now()
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.endsWith('/chat/completions')) return answerModel(request, response)
    if (request.url === '/updates') {
      while (updates.length === 0 && !response.destroyed) await change()
      response.end(JSON.stringify(updates.splice(0)))
      return
    }
    const now = performance.now()
    const post = JSON.parse(await text(request)) as { readonly chat: string }
    for (const exchange of open.values()) {
      if (exchange.chat === post.chat && exchange.postedAt === undefined) exchange.postedAt = now
    }
    response.end('{}')
    changed()
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    write(chat, message, thinkMs) {
      const id = String(++count)
      const exchange = { chat, writtenAt: performance.now(), thinkMs }
      open.set(id, exchange)
      updates.push({ id, chat, text: message.replace('%', `message of the bench ${id}`) })
      changed()
      return exchange
    },
    async until(exchanges, timeoutMs) {
      const until = performance.now() + timeoutMs
      const waker = setInterval(changed, 250)
      try {
        for (let left = exchanges; left.length > 0;) {
          left = left.filter(({ postedAt }) => postedAt === undefined)
          if (left.length > 0 && performance.now() > until) throw new Error(`${left.length} messages were not answered`)
          if (left.length > 0) await change()
        }
      } finally {
        clearInterval(waker)
      }
      open.clear()
    },
    async [Symbol.asyncDispose]() {
      changed()
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
