import { PlatformError } from '../platform-error.ts'
import type { PlatformErrorCode } from '../platform-error.ts'

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
const neverSent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|CONNECT_TIMEOUT|CERT_/

/** How long no calls are made where the service does not say, ms. */
const defaultWaitMs = 5_000

/** An answer that is not in the service's form. */
export function fromStatus(status: number, method: string): PlatformError {
  const message = `Slack did not answer in order (${method}: status ${status}).`
  return new PlatformError(status < 300 || status >= 500 ? 'uncertain' : 'refused', message)
}

/** A request that failed before the service answered. */
export function asConnectionError(error: unknown, method: string): PlatformError {
  const reason = codes(error).find((code) => code !== '') ?? 'no answer'
  return neverSent.test(reason)
    ? new PlatformError('unreachable', `Slack cannot be reached (${method}: ${reason}).`)
    : new PlatformError('uncertain', `Slack did not answer (${method}: ${reason}).`)
}

export function tooManyCalls(method: string, retryAfterMs = defaultWaitMs): PlatformError {
  return new PlatformError('rate-limited', `Slack wants fewer calls (${method}).`, { retryAfterMs })
}

/** The service says no, in a word of its own: https://docs.slack.dev/reference/methods */
export function fromRefusal(
  { error, needed }: { readonly error: string; readonly needed?: string | undefined },
  method: string,
): PlatformError {
  const found = Object.entries(meanings).find(([, words]) => words.includes(error))?.[0]
  // The keys of the table are codes.
  const code = (found ?? 'refused') as PlatformErrorCode
  if (code === 'rate-limited') return tooManyCalls(method)
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
