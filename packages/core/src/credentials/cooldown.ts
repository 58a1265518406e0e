/** How long a credential rests after a failure, when the provider does not tell: one hour. */
export const cooldownMs = 3_600_000

/** A reset further away than this is a mistake of whoever sent it: 32 days. */
const longestMs = 32 * 24 * 3_600_000

/** An instant that is stored or sent in seconds or milliseconds since the epoch, or in ISO form; undefined for none. */
export function instantMs(value: string | number | null | undefined): number | undefined {
  if (value === null || value === undefined || value === '') return undefined
  const number = typeof value === 'number' ? value : /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
  if (number !== undefined) {
    if (!Number.isFinite(number) || number <= 0) return undefined
    return number >= 1e11 ? number : number * 1000
  }
  const parsed = Date.parse(String(value))
  return Number.isNaN(parsed) ? undefined : parsed
}

/** What a provider said when it refused. */
export interface RefusalHints {
  /** Response headers, lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The error's text, or the whole body. */
  readonly text?: string
}

/**
 * When a refused key may be used again, ms since the epoch, as the provider said it: in `retry-after`, in the reset
 * header of a limit that is used up, or in its text. Undefined when it did not say, or nothing sensible.
 */
export function resetTimeMs({ headers = {}, text = '' }: RefusalHints, nowMs: number): number | undefined {
  const found = fromRetryAfter(headers, nowMs) ?? fromLimits(headers, nowMs) ?? fromText(text, nowMs)
  if (found === undefined || found > nowMs + longestMs) return undefined
  return Math.max(found, nowMs)
}

type Headers = NonNullable<RefusalHints['headers']>

function header(headers: Headers, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value.trim() : value?.[0]?.trim()
}

/** Seconds or a date: RFC 9110 section 10.2.3; `retry-after-ms` is OpenAI's. */
function fromRetryAfter(headers: Headers, nowMs: number): number | undefined {
  const ms = Number(header(headers, 'retry-after-ms') || NaN)
  if (Number.isFinite(ms) && ms >= 0) return nowMs + ms
  const value = header(headers, 'retry-after')
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return nowMs + Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : date
}

/** The latest reset of those limits that have nothing left. */
function fromLimits(headers: Headers, nowMs: number): number | undefined {
  let latest: number | undefined
  for (const name of Object.keys(headers)) {
    const match = /^(.*ratelimit-)(.*)remaining(.*)$/.exec(name)
    if (!match || !/^0+(\.0+)?$/.test(header(headers, name) ?? '')) continue
    const reset = header(headers, `${match[1]}${match[2]}reset${match[3]}`)
    const at = reset === undefined ? undefined : limitResetMs(reset, nowMs)
    if (at !== undefined && (latest === undefined || at > latest)) latest = at
  }
  const plain = header(headers, 'x-ratelimit-reset')
  return latest ?? (plain === undefined ? undefined : limitResetMs(plain, nowMs))
}

/** When a limit's header says that it resets: an instant, seconds from now (`20`), or a span (`6m0s`, `120ms`). */
export function limitResetMs(value: string, nowMs: number): number | undefined {
  const span = spanMs(value)
  if (span !== undefined) return nowMs + span
  if (/^\d+(\.\d+)?$/.test(value)) {
    const number = Number(value)
    // No limit resets in thirty years, so a larger number is an instant.
    return number < 1e9 ? nowMs + number * 1000 : instantMs(number)
  }
  return instantMs(value)
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A span with units: `1h2m3.5s`. */
function spanMs(value: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(value)) return undefined
  let total = 0
  for (const [, number, unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(number) * (unitMs[unit] ?? 0)
  }
  return total
}

const seconds =
  /(?:retry after|try again in|retry in|reset in|resets in|wait)\s+(?:about\s+)?(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)\b/i
const delayField = /"?(?:quotaResetDelay|retryDelay)"?\s*[:=]\s*"?((?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+)/i
const instantField =
  /"?(?:resets?_at|reset_time|quotaResetTimeStamp)"?\s*[:=]\s*"?(\d{9,13}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)/i
const secondsField = /"?(?:resets?_in_seconds|retry_after(?:_seconds)?)"?\s*[:=]\s*"?(\d+(?:\.\d+)?)/i
const instantWords =
  /(?:try again|resets?|available again|until)\s+(?:at|after|on)?\s*(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)/i

/** In how providers write it: `try again in 20s`, `quotaResetDelay: "4h2m"`, `resets_at: 1764000000`. */
function fromText(text: string, nowMs: number): number | undefined {
  const short = text.slice(0, 4000)
  const instant = instantMs((instantField.exec(short) ?? instantWords.exec(short))?.[1])
  if (instant !== undefined) return instant
  const delay = spanMs(delayField.exec(short)?.[1]?.toLowerCase() ?? '')
  if (delay !== undefined) return nowMs + delay
  const field = secondsField.exec(short)?.[1]
  if (field !== undefined) return nowMs + Number(field) * 1000
  const [, number, unit = ''] = seconds.exec(short) ?? []
  if (number === undefined) return undefined
  const word = unit.toLowerCase()
  const key = word === 'ms' || word.startsWith('milli') ? 'ms' : word.slice(0, 1)
  return nowMs + Number(number) * (unitMs[key] ?? 1000)
}
