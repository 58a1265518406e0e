import { setTimeout as wait } from 'node:timers/promises'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { ConfiguredPlatform } from '../gateway.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import type { SendingConnection } from '../platforms/platform.ts'
import type { Outgoing } from '../store/outbox.ts'
import { DeliveryError } from './delivery-error.ts'
import { createRateBudget } from './rate-budget.ts'
import type { RateBudget } from './rate-budget.ts'

/** Longest that connecting and sending may take, tries of one part, and the wait before the second, ms. */
const [limitMs, maxTries, firstWaitMs] = [60_000, 3, 1_000]

/**
 * Connects a platform only to send these parts, in their order, and leaves it. For where no gateway runs that would send
 * what is queued: what fails here was not sent, and is not tried later. Throws `DeliveryError`.
 */
export async function sendDirectly(
  parts: readonly Outgoing[],
  { platform, settings }: ConfiguredPlatform,
  agent: AgentContext,
  signal: AbortSignal,
): Promise<void> {
  const { label } = platform
  if (!platform.connectToSend) {
    throw new DeliveryError(`${label} is written to by the gateway alone, and none runs: hermes gateway start.`)
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)])
  let sent = 0
  try {
    await using connection = await platform.connectToSend(settings, agent, limit)
    const budget = createRateBudget(connection.rates)
    for (const part of parts) {
      await budget.take(part.chat, 'final', limit)
      await sendPatiently(part, connection, { budget, signal: limit })
      sent++
    }
  } catch (error) {
    signal.throwIfAborted()
    const reason = limit.aborted ? `${label} takes too long.` : error instanceof Error ? error.message : String(error)
    if (!limit.aborted && !(error instanceof PlatformError)) throw error
    const how = sent > 0 ? ` The first ${sent} of ${parts.length} parts were sent.` : ''
    const doubt =
      error instanceof PlatformError && error.code === 'uncertain' ? ' It may have arrived all the same.' : ''
    throw new DeliveryError(`It was not sent: ${reason}${how}${doubt}`, { cause: error })
  }
}

/** Waits as long as the service wants; what did not reach it is tried again. */
async function sendPatiently(
  { chat, part, key }: Outgoing,
  connection: SendingConnection,
  { budget, signal }: { readonly budget: RateBudget; readonly signal: AbortSignal },
): Promise<void> {
  const again = () => budget.take(chat, 'final', signal)
  for (let tries = 1; ; tries++) {
    try {
      await connection.send(chat, part, { key, again }, signal)
      return
    } catch (error) {
      const code = error instanceof PlatformError ? error.code : undefined
      if ((code !== 'rate-limited' && code !== 'unreachable') || tries >= maxTries) throw error
      const asked = error instanceof PlatformError ? error.retryAfterMs : undefined
      await wait(asked ?? firstWaitMs * tries, undefined, { signal })
    }
  }
}
