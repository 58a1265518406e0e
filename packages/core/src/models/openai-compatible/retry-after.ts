import type { IncomingHttpHeaders } from 'node:http'

/** How long the server asks us to wait, ms; undefined when it does not say. */
export function retryAfterMs(headers: IncomingHttpHeaders, body: unknown, nowMs: number): number | undefined {
  return (
    positive(Number(first(headers['retry-after-ms']))) ??
    fromRetryAfter(first(headers['retry-after']), nowMs) ??
    fromOpenRouter(body, nowMs)
  )
}

/** Seconds or an HTTP date, https://www.rfc-editor.org/rfc/rfc9110#name-retry-after. */
function fromRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined || value.trim() === '') return undefined
  const seconds = Number(value)
  if (!Number.isNaN(seconds)) return positive(seconds * 1000)
  return positive(Date.parse(value) - nowMs)
}

/** OpenRouter passes its limits' headers inside the error: the reset is a time, ms since the epoch. */
function fromOpenRouter(body: unknown, nowMs: number): number | undefined {
  const headers = field(field(field(body, 'error'), 'metadata'), 'headers')
  const after = field(headers, 'Retry-After') ?? field(headers, 'retry-after')
  if (typeof after === 'string' || typeof after === 'number') return fromRetryAfter(`${after}`, nowMs)
  const reset = Number(field(headers, 'X-RateLimit-Reset'))
  return Number.isNaN(reset) ? undefined : positive(reset - nowMs)
}

function positive(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.max(0, Math.ceil(ms)) : undefined
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
