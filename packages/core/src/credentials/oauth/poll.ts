import { TransportError } from '../../models/net/transport-error.ts'
import { CredentialError } from '../credential-error.ts'
import type { FlowContext } from './flow.ts'

/** What one question brought: the answer, or when to ask again. */
export type Polled<T> =
  | { readonly type: 'done'; readonly value: T }
  /** `slower`: the server asks for five seconds more between questions, from now on. */
  | { readonly type: 'pending' | 'slower' }

export interface PollOptions {
  readonly intervalSeconds: number
  /** When the code ends, ms since the epoch. */
  readonly expiresAtMs: number
}

const slowerSeconds = 5
const longestSeconds = 60

/**
 * Asks again and again whether the person has answered, no faster than the server allows:
 * https://www.rfc-editor.org/rfc/rfc8628#section-3.5. A connection that fails doubles the pause.
 */
export async function poll<T>(
  ask: () => Promise<Polled<T>>,
  { intervalSeconds, expiresAtMs }: PollOptions,
  { provider, now, sleep }: Pick<FlowContext, 'provider' | 'now' | 'sleep'>,
  signal: AbortSignal,
): Promise<T> {
  for (let seconds = intervalSeconds; ;) {
    await sleep(seconds * 1000, signal)
    if (now() >= expiresAtMs) throw codeEnded(provider.title)
    try {
      const polled = await ask()
      if (polled.type === 'done') return polled.value
      if (polled.type === 'slower') seconds += slowerSeconds
    } catch (error) {
      if (!(error instanceof TransportError) || error.failure === 'refused') throw error
      seconds = Math.min(Math.max(1, seconds) * 2, longestSeconds)
    }
  }
}

export function codeEnded(title: string): CredentialError {
  return new CredentialError('timeout', `The code for ${title} has expired before it was used; begin again.`)
}
