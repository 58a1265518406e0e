import type { IncomingHttpHeaders } from 'node:http'
import { limitResetMs } from '../../credentials/cooldown.ts'
import type { RateLimit } from '../rate-limits.ts'

// The two spellings of OpenAI and whoever follows it, and of Anthropic; OpenRouter's names only one limit. Anthropic's
// subscriptions tell a share instead of counts.
const spellings = [
  /^x-ratelimit-(?<what>limit|remaining|reset)(?:-(?<name>[a-z0-9-]{1,40}))?$/,
  /^anthropic-ratelimit-(?<name>[a-z0-9-]{1,40})-(?<what>limit|remaining|reset|utilization)$/,
] as const

/** The one limit of a server that has no name for it. */
const onlyLimit = 'requests'

/** Most limits of one answer. */
const mostLimits = 16

/** What the headers of an answer say of each limit. */
export function rateLimitsOf(headers: IncomingHttpHeaders, nowMs: number): readonly RateLimit[] {
  const told = new Map<string, Record<string, string>>()
  for (const [header, value] of Object.entries(headers)) {
    if (typeof value !== 'string' || !header.includes('ratelimit-')) continue
    const { what, name = onlyLimit } = spellings.map((one) => one.exec(header)?.groups).find(Boolean) ?? {}
    if (what === undefined || (told.size >= mostLimits && !told.has(name))) continue
    told.set(name, { ...told.get(name), [what]: value })
  }
  return [...told].flatMap(([name, values]) => limitOf(name, values, nowMs) ?? [])
}

/** Undefined where the headers do not say how much is left. */
function limitOf(name: string, told: Readonly<Record<string, string>>, nowMs: number): RateLimit | undefined {
  const counted = countsOf(told) ?? shareOf(told)
  if (!counted) return undefined
  const resetsAtMs = told['reset'] === undefined ? undefined : limitResetMs(told['reset'].trim(), nowMs)
  return { name, ...counted, ...(resetsAtMs !== undefined && { resetsAtMs }) }
}

function countsOf(told: Readonly<Record<string, string>>) {
  const limit = numberOf(told['limit'])
  const left = numberOf(told['remaining'])
  if (limit === undefined || limit === 0 || left === undefined) return undefined
  const remaining = Math.min(left, limit)
  return { used: (limit - remaining) / limit, limit, remaining }
}

function shareOf({ utilization }: Readonly<Record<string, string>>) {
  const share = numberOf(utilization)
  return share === undefined ? undefined : { used: Math.min(1, share) }
}

/** A number that is not negative; what follows it says more of the limit. */
function numberOf(text = ''): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)\s*(?:[,;].*)?$/.exec(text)?.[1]
  return digits === undefined || !Number.isFinite(Number(digits)) ? undefined : Number(digits)
}
