import { PlatformError } from '../platform-error.ts'
import type { PlatformErrorCode } from '../platform-error.ts'

/** What the service says where it refuses a call. */
export interface TelegramRefusalFacts {
  readonly error_code: number
  readonly description: string
  readonly parameters?:
    | { readonly retry_after?: number | undefined; readonly migrate_to_chat_id?: number | undefined }
    | undefined
}

/** The service said no. */
export class TelegramRefusal extends Error {
  override readonly name = 'TelegramRefusal'
  readonly said: TelegramRefusalFacts
  constructor(said: TelegramRefusalFacts) {
    super(said.description)
    this.said = said
  }
}

/** The service was not reached, or did not answer in its form. */
export class TelegramFailure extends Error {
  override readonly name = 'TelegramFailure'
  constructor(cause: unknown) {
    super('The call failed.', { cause })
  }
}

/** Why a call was refused. */
export function refusalOf(error: unknown): TelegramRefusalFacts | undefined {
  return error instanceof TelegramRefusal ? error.said : undefined
}

/** Beginnings of a connection that never came to be: the call cannot have been taken. */
const neverSent =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|connect ETIMEDOUT|CERT_|certificate/i

/** Whether a call failed before the service can have taken it. */
export function isNeverSent(cause: unknown): boolean {
  return neverSent.test(wordsOf(cause))
}

/** Where several addresses were tried, each has its own reason. */
function wordsOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(wordsOf).join(', ')
  return cause instanceof Error ? cause.message : String(cause)
}

/** Descriptions by what they come to; the first that fits counts. */
const descriptions: readonly (readonly [pattern: RegExp, code: PlatformErrorCode])[] = [
  [/can't parse (entities|message)|unsupported parse_mode/i, 'bad-format'],
  [/(message|caption) is too long|MESSAGE_TOO_LONG/i, 'too-long'],
  [/chat not found|(thread|message to \w+|message to be replied) not found|upgraded to a supergroup/i, 'gone'],
  [/TOPIC_(CLOSED|DELETED)|PEER_ID_INVALID|chat was deleted/i, 'gone'],
]

/** Any error of a call as one that the gateway knows; what is no error of the service is given back as it is. */
export function asPlatformError(error: unknown, method: string): unknown {
  const said = refusalOf(error)
  if (said) return fromRefusal(said, method)
  if (!(error instanceof TelegramFailure)) return error
  const why = wordsOf(error.cause)
  const reason = /[A-Z]{4,}[A-Z_]*|socket hang up|timed? ?out/.exec(why)?.[0] ?? 'no answer'
  return isNeverSent(error.cause)
    ? new PlatformError('unreachable', `Telegram cannot be reached (${method}: ${reason}).`)
    : new PlatformError('uncertain', `Telegram did not answer in order (${method}: ${reason}).`)
}

function fromRefusal(
  { error_code: status, description, parameters }: TelegramRefusalFacts,
  method: string,
): PlatformError {
  const message = `Telegram: ${description} (${method})`
  if (status === 429) {
    const seconds = parameters?.retry_after ?? 1
    return new PlatformError('rate-limited', message, { retryAfterMs: seconds * 1000 })
  }
  if (status === 401 || (status === 404 && /^not found$/i.test(description))) {
    return new PlatformError('unauthorised', 'Telegram does not know the token. Put the one of @BotFather into .env.')
  }
  if (status === 409) {
    return new PlatformError(
      'conflict',
      'Another process uses the bot’s token. Stop it, or give this one a bot of its own.',
    )
  }
  if (status === 403) {
    return new PlatformError(/blocked|kicked|deactivated|not a member/i.test(description) ? 'gone' : 'refused', message)
  }
  if (status === 413) return new PlatformError('too-long', message)
  if (status >= 500) return new PlatformError('uncertain', message)
  return new PlatformError(descriptions.find(([pattern]) => pattern.test(description))?.[1] ?? 'refused', message)
}
