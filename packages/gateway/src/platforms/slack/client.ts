import type { Agent } from 'node:http'
import type { Environment } from '@hermes/core/agent/context.ts'
import { z } from 'zod'
import { openOutbound } from '../../http/outbound.ts'
import type { OutboundAnswer, OutboundRequest } from '../../http/outbound.ts'
import { PlatformError } from '../platform-error.ts'
import { asConnectionError, fromRefusal, fromStatus, tooManyCalls } from './errors.ts'
import type { SlackSettings } from './settings.ts'

/** Slack's Web API, with its errors put into the gateway's. */
export interface SlackClient {
  /**
   * Calls a method (https://docs.slack.dev/reference/methods) with a token; resolves to its answer. Throws `PlatformError`,
   * or the reason where `signal` aborts. While the service wants no calls of a method, it is not called.
   */
  call(token: string, method: string, parameters: Parameters, options: CallOptions): Promise<unknown>
  /** A request past the Web API: files, response URLs. Redirects are not followed. */
  fetch(url: string, request: OutboundRequest): Promise<OutboundAnswer>
  /** Whether the token may be shown to this address. */
  isOwnHost(url: string): boolean
  /** What opens connections to an address. */
  agentOf(url: string): Agent
  close(): void
}

export type Parameters = Readonly<Record<string, unknown>>

export interface CallOptions {
  readonly signal: AbortSignal
  /** Default 30 s. */
  readonly timeoutMs?: number
}

const callMs = 30_000

/** Longest answer that is read, bytes. */
const maxAnswer = 16 * 1024 * 1024

const answer = z.union([
  z.looseObject({ ok: z.literal(true) }),
  z.looseObject({ ok: z.literal(false), error: z.string(), needed: z.string().optional() }),
])

export function openClient({ apiUrl }: SlackSettings, environment: Environment): SlackClient {
  const outbound = openOutbound(environment)
  const penalties = new Map<string, number>()

  async function send(url: string, request: OutboundRequest, signal: AbortSignal, name: string) {
    try {
      return await outbound.send(url, request)
    } catch (error) {
      signal.throwIfAborted()
      throw asConnectionError(error, name)
    }
  }

  async function textOf(response: OutboundAnswer, signal: AbortSignal, method: string): Promise<string> {
    try {
      return String((await response.read(maxAnswer)) ?? '')
    } catch (error) {
      signal.throwIfAborted()
      throw asConnectionError(error, method)
    }
  }

  return {
    async call(token, method, parameters, { signal, timeoutMs = callMs }) {
      signal.throwIfAborted()
      const key = `${token} ${method}`
      const waitMs = (penalties.get(key) ?? 0) - performance.now()
      if (waitMs > 0) throw tooManyCalls(method, waitMs)
      try {
        const response = await send(
          `${apiUrl}${method}`,
          {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-www-form-urlencoded' },
            body: formOf(parameters),
            signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
          },
          signal,
          method,
        )
        const text = await textOf(response, signal, method)
        if (response.status === 429) {
          const seconds = Number(response.header('retry-after'))
          throw tooManyCalls(method, seconds > 0 ? seconds * 1_000 : undefined)
        }
        const said = response.isOk ? answer.safeParse(jsonOf(text)).data : undefined
        if (!said) throw fromStatus(response.status, method)
        if (!said.ok) throw fromRefusal(said, method)
        return said
      } catch (error) {
        if (error instanceof PlatformError && error.code === 'rate-limited') {
          penalties.set(key, performance.now() + (error.retryAfterMs ?? 0))
        }
        throw error
      }
    },
    fetch: (url, request) => send(url, request, request.signal, 'file'),
    isOwnHost(url) {
      if (!URL.canParse(url)) return false
      const { protocol, hostname, origin } = new URL(url)
      if (origin === new URL(apiUrl).origin) return true
      return protocol === 'https:' && (hostname === 'slack.com' || hostname.endsWith('.slack.com'))
    },
    agentOf: (url) => outbound.agentOf(url),
    close: () => outbound.close(),
  }
}

/** Every method takes a form; what is more than a word goes as JSON. */
function formOf(parameters: Parameters): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null) continue
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return form.toString()
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A page of what stands before the service.
    return undefined
  }
}
