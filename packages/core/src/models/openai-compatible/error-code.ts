import type { ModelErrorCode } from '../model-error.ts'

/** What a server said of a failure. */
export interface Complaint {
  /** HTTP status, or a status inside an error object; undefined when there is none. */
  readonly status: number | undefined
  /** Its own words, all of them. */
  readonly text: string
  /** Its codes and types. */
  readonly codes: readonly string[]
}

/**
 * The class of a failure. Statuses are used differently by every server, so the codes and phrases that have one meaning
 * come first.
 */
export function errorCodeOf({ status, text, codes }: Complaint): ModelErrorCode {
  const says = (pattern: RegExp): boolean => pattern.test(text)
  const has = (pattern: RegExp): boolean => codes.some((code) => pattern.test(code))
  const isClientError = status === undefined || (status >= 400 && status < 500)

  if (has(/^(context_length_exceeded|max_tokens_exceeded|string_above_max_length)$/)) return 'context-overflow'
  if (has(/^(insufficient_quota|billing_not_active|payment_required)$/)) return 'payment'
  if (has(/^(model_not_found|model_not_available|invalid_model)$/)) return 'model-not-found'
  if (has(/^(content_filter|content_policy_violation|moderation_blocked)$/)) return 'content-filter'
  if (status === 413) return 'payload-too-large'
  if (status === 402) return isTransientQuota(text) ? 'rate-limited' : 'payment'
  if (status === 403 && says(/key limit exceeded|spending limit/i)) return 'payment'
  if (status === 403 && says(/moderation|flagged/i)) return 'content-filter'
  if (isClientError && status !== 429 && says(overflow)) return 'context-overflow'
  if (status === 401 || status === 403) return 'auth'
  if (status === 429)
    return says(/insufficient (credit|balance|quota)|exceeded your current quota/i) ? 'payment' : 'rate-limited'
  if (has(/^(rate_limit_exceeded|resource_exhausted|throttled)$/i)) return 'rate-limited'
  if (status === 503 || status === 529 || has(/^overloaded(_error)?$/)) return 'overloaded'
  if (status === 404 || (isClientError && says(noSuchModel))) return 'model-not-found'
  if (status === 408 || status === 504) return 'timeout'
  if (status !== undefined && status >= 500) return 'server'
  if (status !== undefined) return 'invalid-request'
  return withoutStatus(text)
}

/** An error object in a stream often has nothing but words. */
function withoutStatus(text: string): ModelErrorCode {
  if (/invalid api key|unauthori[sz]ed|authentication|forbidden|access denied/i.test(text)) return 'auth'
  if (/rate.?limit|too many requests|quota/i.test(text)) return 'rate-limited'
  if (/overloaded|capacity|unavailable/i.test(text)) return 'overloaded'
  if (/time.?out|timed out/i.test(text)) return 'timeout'
  if (/connection|network|reset|broken pipe|peer closed|upstream/i.test(text)) return 'network'
  return 'server'
}

const overflow =
  /context (length|size|window)|maximum context|token limit|too many tokens|reduce the length|prompt is too long|max_model_len|prompt length|input is too long|n_ctx|exceeds? the (available )?context|上下文长度|超过最大长度/i

const noSuchModel =
  /model .{0,80}(not found|does not exist|not available|not supported|is invalid)|no such model|unknown model|not a valid model|invalid model|no endpoints found/i

function isTransientQuota(text: string): boolean {
  return /try again|retry|resets? (at|in)|wait|requests remaining|window/i.test(text) && /limit|quota/i.test(text)
}
