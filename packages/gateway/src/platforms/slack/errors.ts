import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import type { PlatformErrorCode } from '../platform-error.ts'

/** What Slack's client throws, by its code. */
const refusal = z.looseObject({
  code: z.literal('slack_webapi_platform_error'),
  data: z.looseObject({ error: z.string(), needed: z.string().optional() }),
})
const rateLimit = z.looseObject({ code: z.literal('slack_webapi_rate_limited_error'), retryAfter: z.number() })
const badStatus = z.looseObject({ code: z.literal('slack_webapi_http_error'), statusCode: z.number() })
const failure = z.looseObject({ code: z.literal('slack_webapi_request_error'), original: z.unknown() })

/** The service's own word for why it refused: https://docs.slack.dev/reference/methods */
export function refusalOf(error: unknown): string | undefined {
  return refusal.safeParse(error).data?.data.error
}

/** Words by what they come to; what is not named is a refusal for good. */
const meanings: Readonly<Partial<Record<PlatformErrorCode, readonly string[]>>> = {
  unauthorised: [
    'invalid_auth',
    'not_authed',
    'account_inactive',
    'token_revoked',
    'token_expired',
    'not_allowed_token_type',
    'user_removed_from_team',
    'team_disabled',
  ],
  gone: [
    'channel_not_found',
    'is_archived',
    'message_not_found',
    'thread_not_found',
    'user_not_found',
    'cant_update_message',
    'cant_delete_message',
    'edit_window_closed',
  ],
  'too-long': ['msg_too_long', 'msg_blocks_too_long', 'file_upload_size_restricted'],
  'bad-format': ['invalid_blocks', 'invalid_blocks_format', 'no_text'],
  'rate-limited': ['ratelimited', 'rate_limited', 'message_limit_exceeded'],
  uncertain: ['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable', 'team_added_to_org'],
}

/** Beginnings of a connection that never came to be: the call cannot have been taken. */
const neverSent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|UND_ERR_CONNECT_TIMEOUT|CERT_/

/** How long no calls are made where the service does not say, ms. */
const defaultWaitMs = 5_000

/** Any error of a call as one that the gateway knows; what is no error of the service is given back as it is. */
export function asPlatformError(error: unknown, method: string): unknown {
  const said = refusal.safeParse(error).data
  if (said) return fromRefusal(said.data, method)
  const limited = rateLimit.safeParse(error).data
  if (limited) return tooManyCalls(method, limited.retryAfter * 1_000)
  const status = badStatus.safeParse(error).data?.statusCode
  if (status !== undefined) {
    const message = `Slack did not answer in order (${method}: status ${status}).`
    return new PlatformError(status >= 500 ? 'uncertain' : 'refused', message)
  }
  const broken = failure.safeParse(error).data
  return broken ? asConnectionError(broken.original, method) : error
}

/** A request that failed before the service answered. */
export function asConnectionError(error: unknown, method: string): PlatformError {
  const reason = codes(error).find((code) => code !== '') ?? 'no answer'
  return neverSent.test(reason)
    ? new PlatformError('unreachable', `Slack cannot be reached (${method}: ${reason}).`)
    : new PlatformError('uncertain', `Slack did not answer (${method}: ${reason}).`)
}

export function tooManyCalls(method: string, retryAfterMs: number): PlatformError {
  return new PlatformError('rate-limited', `Slack wants fewer calls (${method}).`, { retryAfterMs })
}

function fromRefusal(
  { error, needed }: { readonly error: string; readonly needed?: string | undefined },
  method: string,
): PlatformError {
  const found = Object.entries(meanings).find(([, words]) => words.includes(error))?.[0]
  // The keys of the table are codes.
  const code = (found ?? 'refused') as PlatformErrorCode
  if (code === 'rate-limited') return tooManyCalls(method, defaultWaitMs)
  if (code === 'unauthorised') {
    const which = method === 'apps.connections.open' ? 'SLACK_APP_TOKEN (xapp-…)' : 'SLACK_BOT_TOKEN (xoxb-…)'
    return new PlatformError(code, `Slack does not accept the token (${error}). Put a valid ${which} into .env.`)
  }
  const scope = error === 'missing_scope' && needed ? ` Give the app the scope ${needed} and install it again.` : ''
  const member = error === 'not_in_channel' ? ' Invite the app to the channel.' : ''
  return new PlatformError(code, `Slack: ${error} (${method}).${scope}${member}`)
}

/** Codes of an error and of its causes. */
function codes(error: unknown): readonly string[] {
  const found: string[] = []
  for (let current: unknown = error, depth = 0; current instanceof Error && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string') found.push(current.code)
    if (current.name === 'TimeoutError') found.push('timed out')
    current = current.cause
  }
  return found
}
