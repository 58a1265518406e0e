import { PlatformError } from '../platform-error.ts'
import type { PlatformErrorCode } from '../platform-error.ts'
import type { DiscordRefusal } from './payloads.ts'

/** The service's own words, for those who look into them. `PlatformError.cause` is one. */
export class DiscordApiError extends Error {
  override readonly name = 'DiscordApiError'
  readonly status: number
  readonly refusal: DiscordRefusal

  constructor(status: number, refusal: DiscordRefusal) {
    super(refusal.message)
    this.status = status
    this.refusal = refusal
  }
}

/** Codes by what they come to: https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const codes: Readonly<Record<number, PlatformErrorCode>> = {
  10_003: 'gone',
  10_004: 'gone',
  10_008: 'gone',
  10_015: 'gone',
  10_062: 'gone',
  50_001: 'gone',
  50_083: 'gone',
  160_005: 'gone',
  40_005: 'too-long',
  50_007: 'refused',
}

/** What an answer other than success comes to. */
export function fromRefusal(status: number, refusal: DiscordRefusal, call: string): PlatformError {
  const { code, message, retry_after: seconds } = refusal
  const cause = new DiscordApiError(status, refusal)
  const said = `Discord: ${message || `status ${status}`}${code > 0 ? ` (${code}, ${call})` : ` (${call})`}`
  if (status === 429) {
    return new PlatformError('rate-limited', said, { retryAfterMs: Math.ceil((seconds ?? 1) * 1000), cause })
  }
  if (status === 401) {
    return new PlatformError(
      'unauthorised',
      'Discord does not know the token. Put the one of the developer portal into .env (DISCORD_BOT_TOKEN).',
      { cause },
    )
  }
  if (status >= 500) return new PlatformError('uncertain', said, { cause })
  if (status === 413) return new PlatformError('too-long', said, { cause })
  if (code === 50_035 && isTooLong(refusal)) return new PlatformError('too-long', said, { cause })
  return new PlatformError(codes[code] ?? 'refused', said, { cause })
}

/** Beginnings of a connection that never came to be: the call cannot have been taken. */
const neverSent =
  /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|CONNECT_TIMEOUT|CERT_|certificate/i

/** What `fetch` throws, as far as it can be told whether the call was taken. */
export function fromFailure(error: unknown, call: string): PlatformError {
  const why = [error, error instanceof Error ? error.cause : undefined]
    .flatMap((one) => (one instanceof Error ? [`${'code' in one ? String(one.code) : ''} ${one.message}`] : []))
    .join(' ')
  const reason = /[A-Z]{4,}[A-Z_]*|timeout|aborted/.exec(why)?.[0] ?? 'no answer'
  return neverSent.test(why)
    ? new PlatformError('unreachable', `Discord cannot be reached (${call}: ${reason}).`)
    : new PlatformError('uncertain', `Discord did not answer in order (${call}: ${reason}).`)
}

/** Whether a call failed for what it answers: that is gone, or nothing that can be answered. */
export function isReplyRefused(error: unknown): boolean {
  return refusedFields(error).includes('message_reference')
}

/** Whether the service did not take a file as a voice message. */
export function isVoiceRefused(error: unknown): boolean {
  return [50_159, 50_160, 50_161, 50_173].includes(codeOf(error) ?? 0) || refusedFields(error).includes('attachments')
}

/** The service's code for a failure. */
export function codeOf(error: unknown): number | undefined {
  return error instanceof PlatformError && error.cause instanceof DiscordApiError ? error.cause.refusal.code : undefined
}

function refusedFields(error: unknown): string {
  if (!(error instanceof PlatformError) || !(error.cause instanceof DiscordApiError)) return ''
  return error.cause.refusal.code === 50_035 ? JSON.stringify(error.cause.refusal.errors ?? '') : ''
}

function isTooLong({ errors }: DiscordRefusal): boolean {
  const said = JSON.stringify(errors ?? '')
  return said.includes('"content"') && said.includes('BASE_TYPE_MAX_LENGTH')
}
