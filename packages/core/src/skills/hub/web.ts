import type { z } from 'zod'
import { isLoopback } from '../../models/net/address.ts'
import type { HttpClient, HttpResponse } from '../../models/net/http-client.ts'
import { TransportError } from '../../models/net/transport-error.ts'
import { HubError } from './hub-error.ts'

export interface WebRequest {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON; the request is a POST then. */
  readonly json?: unknown
  /** Largest answer. Default 8 MiB. */
  readonly maxBytes?: number
}

export interface WebAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Uint8Array
  /** Where it came from in the end. */
  readonly url: string
}

/** Requests to the services that skills come from. Answers of every status; throws `HubError` `offline` or `too-large`. */
export interface Web {
  send(request: WebRequest, signal: AbortSignal): Promise<WebAnswer>
}

const limits = { connectMs: 10_000, silenceMs: 20_000, progressMs: 60_000, totalMs: 60_000 }
const maxRedirects = 5
const defaultMaxBytes = 8 * 1024 * 1024

export function createWeb(client: HttpClient, userAgent = 'hermes-agent'): Web {
  async function once(request: WebRequest, url: string, isFirstHost: boolean, signal: AbortSignal): Promise<WebAnswer> {
    const body = request.json === undefined ? undefined : JSON.stringify(request.json)
    const headers: Record<string, string> = { 'user-agent': userAgent, ...request.headers }
    // What is for one host is not given to another that it points to.
    if (!isFirstHost) delete headers['authorization']
    if (body !== undefined) headers['content-type'] = 'application/json'
    const answer = await client.send(
      { method: body === undefined ? 'GET' : 'POST', url, headers, body, limits },
      signal,
    )
    try {
      const bytes = await collect(answer, request.maxBytes ?? defaultMaxBytes, url)
      return { status: answer.status, headers: flat(answer.headers), bytes, url }
    } finally {
      answer.release()
    }
  }

  return {
    async send(request, signal) {
      const first = parseUrl(request.url)
      let url = first
      for (let hops = 0; hops <= maxRedirects; hops++) {
        try {
          const answer = await once(request, url.href, url.host === first.host, signal)
          const location = answer.headers['location']
          if (answer.status < 301 || answer.status > 308 || answer.status === 304 || location === undefined)
            return answer
          if (request.json !== undefined) return answer
          url = redirected(url, location, first)
        } catch (error) {
          if (!(error instanceof TransportError)) throw error
          throw new HubError('offline', `${error.message}. What is installed already works without the network.`, {
            cause: error,
          })
        }
      }
      throw new HubError('bad-answer', `${first.host} redirects in circles.`)
    },
  }
}

/** The JSON of an answer by its schema. Throws `HubError`. */
export function parseJson<T>(answer: WebAnswer, schema: z.ZodType<T>): T {
  const host = new URL(answer.url).host
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(answer.bytes))
  } catch (error) {
    throw new HubError('bad-answer', `${host} did not answer with JSON (status ${answer.status}).`, { cause: error })
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new HubError('bad-answer', `${host} answered in a form that is not understood.`, { cause: parsed.error })
}

/** Throws `HubError` for a status that is no success. `what` was asked for. */
export function requireOk(answer: WebAnswer, what: string): WebAnswer {
  const host = new URL(answer.url).host
  const { status } = answer
  if (status >= 200 && status < 300) return answer
  if (status === 404 || status === 410) throw new HubError('not-found', `${host} has no ${what}.`)
  if (status === 429) throw new HubError('rate-limited', `${host} takes no more requests for now${waitText(answer)}.`)
  if (status === 401 || status === 403)
    throw new HubError('auth', `${host} does not let us read ${what} (status ${status}).`)
  throw new HubError('bad-answer', `${host} failed to answer for ${what} (status ${status}). Try again later.`)
}

function waitText({ headers }: WebAnswer): string {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? `; try again in ${Math.ceil(seconds)} s` : ''
}

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.username || url.password) {
    throw new HubError('invalid', `${text} is no http(s) address that can be used.`)
  }
  return url
}

/** A service may not send us from a secure connection to an open one, nor from the internet to this machine. */
function redirected(from: URL, location: string, first: URL): URL {
  const url = URL.parse(location, from.href)
  const isWeaker = url?.protocol === 'http:' && url.host !== first.host
  if (
    !url ||
    isWeaker ||
    (from.protocol === 'https:' && url.protocol !== 'https:') ||
    (isLoopback(url.hostname) && !isLoopback(first.hostname))
  ) {
    throw new HubError('bad-answer', `${first.host} redirects to an address that is not followed.`)
  }
  return parseUrl(url.href)
}

async function collect(answer: HttpResponse, maxBytes: number, url: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of answer.body) {
    answer.progress()
    size += piece.length
    if (size > maxBytes) throw new HubError('too-large', `${url} is larger than ${maxBytes} bytes.`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

function flat(headers: HttpResponse['headers']): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )
}
