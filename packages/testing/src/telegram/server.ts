import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createFloodLimits, telegramRates } from './flood-limits.ts'
import type { FloodRates } from './flood-limits.ts'
import { isMessage, methods } from './methods.ts'
import { readCall } from './read-call.ts'
import { createWorld, TelegramRefusal } from './world.ts'
import type { BotMessage, Fields, TelegramWorld } from './world.ts'

/** What happens to the next call of a method. */
export type TelegramFault =
  /** The connection breaks before the call has done anything, or after it has. */
  | { readonly method: string; readonly type: 'drop-before' | 'drop-after' }
  | {
      readonly method: string
      readonly type: 'refuse'
      readonly code: number
      readonly description: string
      readonly parameters?: Fields
    }

export interface TelegramOptions {
  readonly rates?: FloodRates
  /** First penalty for too many messages, seconds. */
  readonly penalty?: number
}

/** What of a person's message is other than usual: `{text: 'hello'}` from Ann in a direct chat. */
export interface PersonMessage extends Fields {
  /** A group where it is negative. Default 7, a direct chat. */
  readonly chatId?: number
  readonly userId?: number
}

/**
 * The Bot API of Telegram on this machine, from its public documentation: https://core.telegram.org/bots/api. People
 * write with `write` and press buttons with `press`; what the bot does is in `world`.
 */
export interface TelegramStandIn extends AsyncDisposable {
  readonly url: string
  readonly token: string
  readonly world: TelegramWorld
  /** Messages of the bot as they are now. */
  readonly messages: readonly BotMessage[]
  /** Methods in the order in which they were called. */
  readonly calls: readonly { readonly method: string; readonly params: Fields }[]
  /** Penalties for too many messages, seconds. */
  readonly penalties: readonly number[]
  /** Updates that are not confirmed. */
  readonly pending: number
  /** A person writes. Answers with the id of the message. */
  write(message: PersonMessage): number
  /** A person presses a button of a message. */
  press(message: BotMessage, label: string, userId?: number): void
  /** An update of any kind. */
  give(update: Fields): number
  /** A file that people can send: answers with its id. */
  addFile(name: string, bytes: Buffer): string
  fail(...faults: readonly TelegramFault[]): void
  /** Gives updates that are confirmed again, and the next ones in another order. */
  repeat(ids: readonly number[]): void
  isShuffled: boolean
  /** While it is false, every connection is broken. */
  isReachable: boolean
  /** Resolves when this holds; rejects after `timeoutMs`. It is looked again after each call. */
  until(isSo: () => boolean, timeoutMs?: number): Promise<void>
}

const maxPollSeconds = 50

export async function startTelegram(options: TelegramOptions = {}): Promise<TelegramStandIn> {
  const world = createWorld()
  const limits = createFloodLimits(options.rates ?? telegramRates, options.penalty ?? 2)
  const token = '4242:made-up-token-for-tests-AAAA'
  const calls: { method: string; params: Fields }[] = []
  const faults: TelegramFault[] = []
  const given = new Map<number, TelegramWorld['updates'][number]>()
  const watchers = new Set<() => void>()
  let nextUpdate = 100
  let poller: { refuse(): void } | undefined

  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://telegram').pathname)
    if (!standIn.isReachable) return void request.socket.destroy()
    if (path.startsWith(`/file/bot${token}/files/`)) {
      const file = world.files.get(path.split('/')[4] ?? '')
      response.writeHead(file ? 200 : 404).end(file?.bytes)
      return
    }
    const found = /^\/bot([^/]+)\/(\w+)$/.exec(path)
    const method = found?.[2] ?? ''
    const { params, files } = await readCall(request)
    const at = faults.findIndex((fault) => fault.method === method)
    const [fault] = at < 0 ? [] : faults.splice(at, 1)
    if (fault?.type === 'drop-before') return void request.socket.destroy()
    calls.push({ method, params })
    let result: unknown
    try {
      if (found?.[1] !== token) throw new TelegramRefusal(401, 'Unauthorized')
      if (fault?.type === 'refuse') throw new TelegramRefusal(fault.code, fault.description, fault.parameters)
      if (isMessage(method)) {
        const wait = limits.take(Number(params['chat_id']))
        if (wait !== undefined) {
          throw new TelegramRefusal(429, `Too Many Requests: retry after ${wait}`, { retry_after: wait })
        }
      }
      if (method === 'getUpdates') result = await poll(params, response)
      else {
        const run = Object.hasOwn(methods, method) ? methods[method] : undefined
        if (!run) throw new TelegramRefusal(404, 'Not Found')
        result = run({ world, params, files })
      }
    } catch (error) {
      if (!(error instanceof TelegramRefusal)) throw error
      const { code, message, parameters } = error
      const body = { ok: false, error_code: code, description: message, ...(parameters && { parameters }) }
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      return
    } finally {
      changed()
    }
    if (fault?.type === 'drop-after') return void request.socket.destroy()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ok: true, result }))
  }

  /** An offset confirms all before it. The newer of two pollers wins. */
  async function poll(params: Fields, response: ServerResponse): Promise<unknown> {
    if (world.webhook) {
      throw new TelegramRefusal(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      )
    }
    poller?.refuse()
    const own = {
      isRefused: false,
      refuse() {
        own.isRefused = true
        changed()
      },
    }
    poller = own
    const offset = Number(params['offset'] ?? 0)
    const kept = world.updates.filter(({ update_id: id }) => id >= offset)
    world.updates.splice(0, Infinity, ...kept)
    const kinds = params['allowed_updates'] as readonly string[] | undefined
    const ready = () => {
      const fitting = world.updates.filter((update) => !kinds?.length || kinds.some((kind) => kind in update))
      return standIn.isShuffled ? fitting.toReversed() : fitting
    }
    const until = performance.now() + Math.min(maxPollSeconds, Number(params['timeout'] ?? 0)) * 1000
    try {
      while (ready().length === 0 && performance.now() < until && !response.destroyed && !own.isRefused) {
        await nextChange(until - performance.now())
        if (!standIn.isReachable) response.destroy()
      }
      if (own.isRefused) {
        throw new TelegramRefusal(
          409,
          'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
        )
      }
      return ready().slice(0, Number(params['limit'] ?? 100))
    } finally {
      if (poller === own) poller = undefined
    }
  }

  function nextChange(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        watchers.delete(done)
        resolve()
      }
      const timer = setTimeout(done, Math.max(0, timeoutMs))
      watchers.add(done)
    })
  }

  async function callWebhook(update: Fields): Promise<void> {
    const { url, secret } = world.webhook ?? {}
    if (!url) return
    for (let tries = 0; tries < 20; tries++) {
      const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret ?? '' }
      const sent = await fetch(url, { method: 'POST', headers, body: JSON.stringify(update) }).catch(() => undefined)
      if (sent?.ok) return
      await nextChange(100)
    }
  }

  const standIn: TelegramStandIn = {
    url: '',
    token,
    world,
    messages: world.messages,
    calls,
    penalties: limits.penalties,
    isShuffled: false,
    get pending() {
      return world.updates.length
    },
    get isReachable() {
      return isReachable
    },
    set isReachable(value) {
      isReachable = value
      if (!value) server.closeAllConnections()
      changed()
    },
    write({ chatId = 7, userId = 7, ...fields }) {
      const id = world.nextMessageId++
      const known = world.written.get(chatId) ?? new Set()
      world.written.set(chatId, known.add(id))
      const isGroup = chatId < 0
      const chat = isGroup
        ? { id: chatId, type: 'supergroup', title: 'A group' }
        : { id: chatId, type: 'private', first_name: 'Ann' }
      const from = {
        id: userId,
        is_bot: false,
        first_name: `Ann${userId === 7 ? '' : userId}`,
        username: `ann${userId}`,
      }
      standIn.give({ message: { message_id: id, date: Math.floor(Date.now() / 1000), chat, from, ...fields } })
      return id
    },
    press(message, label, userId = 7) {
      const button = message.buttons.find(({ text }) => text === label)
      if (!button) throw new Error(`no button ${label}`)
      const { chatId, threadId, id, text } = message
      const chat = { id: chatId, type: chatId < 0 ? 'supergroup' : 'private' }
      standIn.give({
        callback_query: {
          id: `q${nextUpdate}`,
          from: { id: userId, is_bot: false, first_name: 'Ann' },
          chat_instance: '1',
          data: button.callback_data,
          message: {
            message_id: id,
            date: 1,
            chat,
            text,
            ...(threadId !== undefined && { message_thread_id: threadId, is_topic_message: true }),
          },
        },
      })
    },
    give(update) {
      const whole = { ...update, update_id: nextUpdate++ }
      given.set(whole.update_id, whole)
      if (world.webhook) void callWebhook(whole)
      else world.updates.push(whole)
      changed()
      return whole.update_id
    },
    addFile(name, bytes) {
      const id = `file${world.files.size + 1}`
      world.files.set(id, { name, bytes })
      return id
    },
    fail: (...more) => void faults.push(...more),
    repeat(ids) {
      world.updates.unshift(...ids.flatMap((id) => given.get(id) ?? []))
      changed()
    },
    async until(isSo, timeoutMs = 30_000) {
      const end = performance.now() + timeoutMs
      while (!isSo()) {
        if (performance.now() > end) {
          const last = calls.slice(-20).map(({ method, params }) => `${method} ${JSON.stringify(params).slice(0, 200)}`)
          throw new Error(`it did not come about; the last calls:\n${last.join('\n')}`)
        }
        await nextChange(50)
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      standIn.isReachable = false
      await closed
    },
  }
  let isReachable = true
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.defineProperty(standIn, 'url', { value: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}
