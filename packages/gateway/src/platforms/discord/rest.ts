import { setTimeout as wait } from 'node:timers/promises'
import type { z } from 'zod'
import type { OutboundAnswer } from '../../http/outbound.ts'
import { maxRetryAfterMs, PlatformError } from '../platform-error.ts'
import { fromFailure, fromRefusal } from './errors.ts'
import { refusal } from './payloads.ts'
import type { HttpRequest, SendHttp } from './outbound-http.ts'

export interface RestCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the version on. */
  readonly path: string
  readonly body?: unknown
  readonly files?: readonly RestFile[]
  readonly timeoutMs?: number
  /** Calls of interactions have their own token in the path. */
  readonly isWithoutToken?: boolean
}

export interface RestFile {
  readonly name: string
  readonly data: Blob
}

/** Discord's API. Throws `PlatformError`, or the reason where `signal` aborts. */
export interface DiscordRest {
  call<T>(schema: z.ZodType<T>, call: RestCall, signal: AbortSignal): Promise<T>
  /** The same where the answer does not matter. */
  run(call: RestCall, signal: AbortSignal): Promise<void>
}

export interface RestOptions {
  readonly apiRoot: string
  readonly token: string
  readonly send: SendHttp
  /** Monotonic ms. */
  readonly now?: () => number
}

const callMs = 15_000
const uploadMs = 300_000

/** Longest wait for a bucket that is known to be empty, ms; what would take longer is refused at once. */
const maxBucketWaitMs = 5_000

/** Routes whose buckets are remembered. */
const maxBuckets = 1_000

/** Longest answer that is read, bytes. */
const maxAnswer = 8 * 1024 * 1024

/**
 * Calls are made as the service's buckets allow (https://discord.com/developers/docs/topics/rate-limits): one that is known
 * to be empty is waited for, and after a refusal nothing is called until its time.
 */
export function createRest({ apiRoot, token, send, now = () => performance.now() }: RestOptions): DiscordRest {
  /** When a route may be called again, by its place. */
  const closed = new Map<string, number>()
  let allClosedUntil = 0

  async function request(call: RestCall, signal: AbortSignal): Promise<unknown> {
    const name = `${call.method} ${call.path.replace(/\/(interactions|webhooks)\/.*$/, '/$1/…')}`
    const route = routeOf(call)
    await room(route, name, signal)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(call.timeoutMs ?? (call.files ? uploadMs : callMs))])
    let response: OutboundAnswer
    let text: string | undefined
    try {
      response = await send(`${apiRoot}/v10${call.path}`, { method: call.method, ...bodyOf(call), signal: limit })
      text = (await response.read(maxAnswer))?.toString()
    } catch (error) {
      signal.throwIfAborted()
      throw fromFailure(limit.aborted ? limit.reason : error, name)
    }
    note(route, response)
    if (text === undefined) throw new PlatformError('uncertain', `Discord’s answer is too long (${name}).`)
    if (response.isOk) return text === '' ? undefined : jsonOf(text)
    const said = refusal().safeParse(jsonOf(text)).data ?? refusal().parse({})
    const seconds = said.retry_after ?? (Number(response.header('retry-after')) || undefined)
    if (response.status === 429) {
      const until = inSeconds(seconds ?? 1)
      // What stands before the service limits all calls of an address.
      if (said.global || said.retry_after === undefined) allClosedUntil = Math.max(allClosedUntil, until)
      else remember(route, until)
    }
    throw fromRefusal(response.status, { ...said, ...(seconds !== undefined && { retry_after: seconds }) }, name)
  }

  function bodyOf({ body, files, isWithoutToken }: RestCall): Pick<HttpRequest, 'headers' | 'body'> {
    const headers = {
      'user-agent': 'DiscordBot (https://github.com/hermes-agent, 1)',
      ...(!isWithoutToken && { authorization: `Bot ${token}` }),
    }
    if (files) {
      const form = new FormData()
      form.append('payload_json', JSON.stringify(body ?? {}))
      for (const [at, { name, data }] of files.entries()) form.append(`files[${at}]`, data, name)
      return { headers, body: form }
    }
    if (body === undefined) return { headers }
    return { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
  }

  async function room(route: string, name: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      const ms = Math.max(closed.get(route) ?? 0, allClosedUntil) - now()
      if (ms <= 0) return
      if (ms > maxBucketWaitMs) {
        throw new PlatformError('rate-limited', `Discord wants no calls for a while (${name}).`, { retryAfterMs: ms })
      }
      await wait(ms, undefined, { signal })
    }
  }

  function note(route: string, response: OutboundAnswer): void {
    if (response.header('x-ratelimit-remaining') !== '0') return
    remember(route, inSeconds(Number(response.header('x-ratelimit-reset-after') ?? 0)))
  }

  function inSeconds(seconds: number): number {
    return now() + Math.min(maxRetryAfterMs, seconds * 1000)
  }

  function remember(route: string, until: number): void {
    closed.delete(route)
    if (closed.size >= maxBuckets) {
      const [oldest] = closed.keys()
      if (oldest !== undefined) closed.delete(oldest)
    }
    closed.set(route, until)
  }

  return {
    async call(schema, call, signal) {
      const parsed = schema.safeParse(await request(call, signal))
      if (parsed.success) return parsed.data
      throw new PlatformError(
        'uncertain',
        `Discord answered in a form that is not known (${call.method} ${call.path}).`,
      )
    },
    async run(call, signal) {
      await request(call, signal)
    },
  }
}

/** Buckets are of a route and its channel; ids of messages and emojis make no other one. */
function routeOf({ method, path }: RestCall): string {
  const [base = ''] = path.split('?')
  const about = base.replace(/\/reactions\/.*$/, '/reactions').replaceAll(/(\/messages)\/\d+/g, '$1/:id')
  return about.endsWith('/reactions') ? about : `${method} ${about}`
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A page of what stands before the service.
    return {}
  }
}
