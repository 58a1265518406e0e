import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import type { PlatformErrorCode } from '../platform-error.ts'

/** What grammY throws where the service said no. */
const refusal = z.looseObject({
  name: z.literal('GrammyError'),
  error_code: z.number(),
  description: z.string(),
  parameters: z
    .looseObject({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
    .optional(),
})

/** What grammY throws where the service was not reached, or did not answer in its form. */
const failure = z.looseObject({ name: z.literal('HttpError'), error: z.unknown() })

/** Why a call was refused. */
export type TelegramRefusal = z.infer<typeof refusal>

export function refusalOf(error: unknown): TelegramRefusal | undefined {
  return refusal.safeParse(error).data
}

/** Beginnings of a connection that never came to be: the call cannot have been taken. */
const neverSent =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|connect ETIMEDOUT|CERT_|certificate/i

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
  const broken = failure.safeParse(error).data
  if (!broken) return error
  const why = broken.error instanceof Error ? broken.error.message : String(broken.error)
  const reason = /[A-Z]{4,}[A-Z_]*|socket hang up|timed out/.exec(why)?.[0] ?? 'no answer'
  return neverSent.test(why)
    ? new PlatformError('unreachable', `Telegram cannot be reached (${method}: ${reason}).`)
    : new PlatformError('uncertain', `Telegram did not answer in order (${method}: ${reason}).`)
}

function fromRefusal({ error_code: status, description, parameters }: TelegramRefusal, method: string): PlatformError {
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
