import type { IncomingMessage, ServerResponse } from 'node:http'
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

export interface BeginOptions {
  /** How long the model thinks, ms; for ever where it is infinite. */
  readonly thinkMs: number
  /** What it answers. */
  readonly answer?: string
}

/** A model in the process that measures, so that one clock sees both ends of a gateway. */
export interface TimedModel {
  /** A message is written now. `words` must be in it: the model knows it by them. */
  begin(chat: string, options: BeginOptions): { readonly exchange: Exchange; readonly words: string }
  /** Answers a request for a chat completion. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** The chat has got an answer. */
  posted(chat: string): void
  /** Resolves when all of them were posted; rejects when that takes longer. Forgets all. */
  until(exchanges: readonly Exchange[], timeoutMs: number): Promise<void>
}

export function createTimedModel(): TimedModel {
  const open = new Map<string, Exchange & BeginOptions>()
  const watchers = new Set<() => void>()
  let count = 0
  const changed = () => {
    for (const watcher of watchers) watcher()
    watchers.clear()
  }
  return {
    begin(chat, options) {
      const id = String(++count)
      const exchange = { chat, writtenAt: performance.now(), ...options }
      open.set(id, exchange)
      return { exchange, words: `message of the bench ${id}` }
    },
    async serve(request, response) {
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
      const content = isTurn ? (exchange?.answer ?? `Answer ${id}`) : 'A title'
      response.end(
        `${frame({ index: 0, delta: { content } })}${frame({ index: 0, delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`,
      )
      if (exchange) exchange.answeredAt = performance.now()
    },
    posted(chat) {
      const now = performance.now()
      for (const exchange of open.values()) {
        if (exchange.chat === chat && exchange.postedAt === undefined) exchange.postedAt = now
      }
      changed()
    },
    async until(exchanges, timeoutMs) {
      const until = performance.now() + timeoutMs
      const waker = setInterval(changed, 250)
      try {
        for (let left = exchanges; left.length > 0;) {
          left = left.filter(({ postedAt }) => postedAt === undefined)
          if (left.length > 0 && performance.now() > until) throw new Error(`${left.length} messages were not answered`)
          if (left.length > 0) await new Promise<void>((resolve) => watchers.add(resolve))
        }
      } finally {
        clearInterval(waker)
      }
      open.clear()
    },
  }
}

/** All of the time that the model did not think, ms. */
export function ownMs({
  writtenAt,
  askedAt = Number.NaN,
  answeredAt = Number.NaN,
  postedAt = Number.NaN,
}: Exchange): number {
  return askedAt - writtenAt + (postedAt - answeredAt)
}
