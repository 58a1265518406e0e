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
  const isClientError = status === undefined || (status >= 400 && status < 500)

  for (const code of codes) {
    const meaning = meanings.get(code.toLowerCase())
    if (meaning) return meaning
  }
  if (status === 413) return 'payload-too-large'
  if (status === 402) return isTransientQuota(text) ? 'rate-limited' : 'payment'
  if (status === 403 && says(/key limit exceeded|spending limit/i)) return 'payment'
  if (status === 403 && says(/moderation|flagged/i)) return 'content-filter'
  if (isClientError && status !== 429 && says(overflow)) return 'context-overflow'
  if (status === 401 || status === 403) return 'auth'
  // Anthropic's larger window is paid for separately; the usual one is there all the same.
  if (status === 429 && says(/extra usage/i) && says(/long context/i)) return 'context-overflow'
  if (status === 429)
    return says(/insufficient (credit|balance|quota)|exceeded your current quota/i) ? 'payment' : 'rate-limited'
  if (status === 503 || status === 529) return 'overloaded'
  if (status === 404 || (isClientError && says(noSuchModel))) return 'model-not-found'
  if (status === 408 || status === 504) return 'timeout'
  if (status !== undefined && status >= 500) return 'server'
  if (status !== undefined) return 'invalid-request'
  return withoutStatus(text)
}

/** Codes and types of errors that have one meaning wherever they are used. */
const meanings: ReadonlyMap<string, ModelErrorCode> = new Map(
  Object.entries({
    'context-overflow': 'context_length_exceeded max_tokens_exceeded string_above_max_length',
    payment: 'insufficient_quota billing_not_active billing_error payment_required',
    'model-not-found': 'model_not_found model_not_available invalid_model',
    'content-filter': 'content_filter content_policy_violation moderation_blocked',
    'payload-too-large': 'request_too_large',
    'rate-limited':
      'rate_limit_exceeded rate_limit_error resource_exhausted throttled throttlingexception usage_limit_reached',
    overloaded: 'overloaded overloaded_error serviceunavailableexception modelnotreadyexception',
    auth: 'authentication_error accessdeniedexception expiredtokenexception unrecognizedclientexception',
    timeout: 'timeout_error modeltimeoutexception',
    server: 'internalserverexception modelstreamerrorexception',
  } satisfies Partial<Record<ModelErrorCode, string>>).flatMap(([meaning, codes]) =>
    // Object.entries loses the key type that the table has.
    codes.split(' ').map((code) => [code, meaning as ModelErrorCode] as const),
  ),
)

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
  /context (length|size|window|limit)|maximum context|token limit|too many tokens|reduce the length|prompt is too long|max_model_len|prompt length|input is too long|n_ctx|exceeds? the (available )?context|上下文长度|超过最大长度/i

const noSuchModel =
  /model .{0,80}(not found|does not exist|not available|not supported|is invalid)|no such model|unknown model|not a valid model|invalid model|no endpoints found/i

function isTransientQuota(text: string): boolean {
  return /try again|retry|resets? (at|in)|wait|requests remaining|window/i.test(text) && /limit|quota/i.test(text)
}
