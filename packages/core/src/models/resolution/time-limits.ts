import type { Environment } from '../../agent/context.ts'
import type { TimeLimits } from '../net/watch.ts'

/** About four bytes of a request are a token. */
const large = 200_000
const veryLarge = 400_000

/**
 * How long a call may take. A server of one's own may think for minutes before its first word, so there only the limit
 * for all of it holds, unless the environment says otherwise.
 */
export function timeLimits(environment: Environment, isLocal: boolean): (requestBytes: number) => TimeLimits {
  const totalMs = seconds(environment['HERMES_API_TIMEOUT']) ?? 1_800_000
  const silence = seconds(environment['HERMES_STREAM_READ_TIMEOUT'])
  const stale = seconds(environment['HERMES_STREAM_STALE_TIMEOUT'])
  return (requestBytes) => {
    const usual = requestBytes > veryLarge ? 300_000 : requestBytes > large ? 240_000 : 180_000
    return {
      connectMs: Math.min(30_000, totalMs),
      silenceMs: Math.min(silence ?? (isLocal ? totalMs : 120_000), totalMs),
      progressMs: Math.min(stale ?? (isLocal ? totalMs : usual), totalMs),
      totalMs,
    }
  }
}

function seconds(value: string | undefined): number | undefined {
  const number = Number(value ?? '')
  return number > 0 ? Math.min(number * 1000, 2 ** 31 - 1) : undefined
}
