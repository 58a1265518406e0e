import type { Logger } from '@hermes/core/log/logger.ts'
import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import type { Places } from './places.ts'
import type { DiscordRest } from './rest.ts'
import type { Seen } from './seen.ts'

/** What is older is not answered any more, ms. */
const maxAgeMs = 24 * 3_600_000

/** Most messages of one channel that are read. */
const most = 100

export interface CatchUpOptions {
  readonly rest: DiscordRest
  readonly places: Places
  readonly seen: Seen
  readonly log: Logger
  readonly now: () => number
  readonly take: (message: unknown) => Promise<void>
}

const listed = z.array(z.looseObject({ id: z.string(), timestamp: z.string() }))

/** Reads what was written while no session was there, in the channels that the agent is spoken to in. */
export async function catchUp(options: CatchUpOptions, signal: AbortSignal): Promise<void> {
  const { rest, places, seen, log, now, take } = options
  for (const [channelId, last] of seen.list()) {
    try {
      const path = `/channels/${channelId}/messages?after=${last}&limit=${most}`
      const messages = await rest.call(listed, { method: 'GET', path }, signal)
      const { guildId } = await places.find(channelId, signal)
      for (const message of messages.toReversed()) {
        if (now() - Date.parse(message.timestamp) > maxAgeMs) continue
        // Read this way, a message does not say where it is.
        void take({ ...message, channel_id: channelId, ...(guildId !== undefined && { guild_id: guildId }) }).catch(
          () => undefined,
        )
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof PlatformError && error.code === 'gone') seen.forget(channelId)
      else log.warn({ error: String(error) }, 'what was written meanwhile cannot be read')
    }
  }
}
