// The Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/) with "flat" sessions: one connection
// to the browser, every message marked with the page, frame or worker that it is for.
import { z } from 'zod'
import { BrowserError } from '../browser-error.ts'
import type { CdpTransport } from './transport.ts'

/** A browser that can be told what to do. */
export interface CdpConnection {
  /** The browser itself. */
  readonly browser: CdpSession
  /** A target that was attached. */
  session(sessionId: string): CdpSession
  readonly isClosed: boolean
  /** Resolves when the browser is gone or the connection was closed. */
  readonly closed: Promise<void>
  close(): void
}

/** What one target is told, and what it tells. */
export interface CdpSession {
  readonly id: string | undefined
  /**
   * Calls a method and reads its result by a schema. Throws `BrowserError`: `timeout` after the time, `failed` when the
   * browser says no or is gone; when a signal aborts, its reason.
   */
  send<Schema extends z.ZodType>(
    method: string,
    params: Readonly<Record<string, unknown>>,
    schema: Schema,
    options?: SendOptions,
  ): Promise<z.infer<Schema>>
  /** Calls a method whose result does not matter. */
  send(method: string, params?: Readonly<Record<string, unknown>>): Promise<unknown>
  /** Hears one kind of event. What it throws is lost, so it does not. Returns what ends it. */
  on<Schema extends z.ZodType>(event: string, schema: Schema, listener: (event: z.infer<Schema>) => void): () => void
}

export interface SendOptions {
  readonly signal?: AbortSignal
  readonly timeoutMs?: number
}

const defaultTimeoutMs = 30_000

const incoming = z.looseObject({
  id: z.number().optional(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ message: z.string().catch('') }).optional(),
  sessionId: z.string().optional(),
})

interface Waiting {
  readonly sessionId: string | undefined
  readonly method: string
  resolve(result: unknown): void
  reject(error: unknown): void
}

type Listener = (params: unknown) => void

/** Speaks the protocol over a transport, which it owns. */
export function connect(transport: CdpTransport): CdpConnection {
  const waiting = new Map<number, Waiting>()
  const listeners = new Map<string, Set<Listener>>()
  const closed = Promise.withResolvers<void>()
  let lastId = 0
  let isClosed = false

  const gone = () => {
    isClosed = true
    for (const one of waiting.values()) one.reject(browserGone())
    waiting.clear()
    listeners.clear()
    closed.resolve()
  }

  const receive = (text: string) => {
    const parsed = incoming.safeParse(parseJson(text))
    if (!parsed.success) return
    const { id, method, params, result, error, sessionId } = parsed.data
    if (id !== undefined) {
      const call = waiting.get(id)
      waiting.delete(id)
      if (error) call?.reject(new BrowserError('failed', `${call.method}: ${error.message}`))
      else call?.resolve(result)
    } else if (method !== undefined) {
      for (const listener of listeners.get(key(sessionId, method)) ?? []) listener(params)
      if (method === 'Target.detachedFromTarget') forget(detached.safeParse(params).data?.sessionId)
    }
  }

  /** Nobody answers for a target that is gone. */
  const forget = (sessionId: string | undefined) => {
    if (sessionId === undefined) return
    for (const [id, one] of waiting) {
      if (one.sessionId !== sessionId) continue
      waiting.delete(id)
      one.reject(new BrowserError('failed', 'The page or frame was closed.'))
    }
    for (const name of listeners.keys()) if (name.startsWith(`${sessionId} `)) listeners.delete(name)
  }

  async function call(
    sessionId: string | undefined,
    { method, params }: { readonly method: string; readonly params: Readonly<Record<string, unknown>> },
    { signal, timeoutMs = defaultTimeoutMs }: SendOptions,
  ): Promise<unknown> {
    signal?.throwIfAborted()
    if (isClosed) throw browserGone()
    const id = ++lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    waiting.set(id, { sessionId, method, resolve, reject })
    const late = () => reject(new BrowserError('timeout', `The browser did not answer (${method}).`))
    const timer = setTimeout(late, timeoutMs)
    const stop = () => reject(signal?.reason)
    signal?.addEventListener('abort', stop, { once: true })
    try {
      transport.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }))
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      waiting.delete(id)
    }
  }

  const session = (sessionId?: string): CdpSession => ({
    id: sessionId,
    // Without a schema the result is not looked at.
    async send(
      method: string,
      params: Readonly<Record<string, unknown>> = {},
      schema: z.ZodType = z.unknown(),
      options: SendOptions = {},
    ) {
      const parsed = schema.safeParse(await call(sessionId, { method, params }, options))
      if (parsed.success) return parsed.data
      throw new BrowserError('failed', `The browser answered ${method} in a form that is not known.`)
    },
    on(event, schema, listener) {
      const name = key(sessionId, event)
      const heard: Listener = (params) => {
        const parsed = schema.safeParse(params)
        if (parsed.success) listener(parsed.data)
      }
      const all = listeners.get(name) ?? new Set()
      listeners.set(name, all.add(heard))
      return () => void all.delete(heard)
    },
  })

  transport.listen({ message: receive, closed: gone })
  return {
    browser: session(),
    session,
    get isClosed() {
      return isClosed
    },
    closed: closed.promise,
    close() {
      transport.close()
      if (!isClosed) gone()
    },
  }
}

const detached = z.looseObject({ sessionId: z.string() })

function key(sessionId: string | undefined, method: string): string {
  return `${sessionId ?? ''} ${method}`
}

function browserGone(): BrowserError {
  return new BrowserError('failed', 'The browser has ended. Open the page again with browser_navigate.')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
