import type { Logger } from '@hermes/core/log/logger.ts'
import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import type { Places } from './places.ts'
import type { DiscordRest } from './rest.ts'
import type { Seen } from './seen.ts'

/** What is older is not answered any more, ms. */
const maxAgeMs = 24 * 3_600_000

/** Messages that are read at once, and most of one channel. */
const [atOnce, most] = [100, 2_000]

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
      const { guildId } = await places.find(channelId, signal)
      for (const message of await messagesAfter(last, channelId, { rest, signal })) {
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

/** Oldest first. */
async function messagesAfter(
  last: string,
  channelId: string,
  { rest, signal }: { readonly rest: DiscordRest; readonly signal: AbortSignal },
): Promise<z.infer<typeof listed>> {
  const found: z.infer<typeof listed> = []
  for (let after = last; found.length < most;) {
    const path = `/channels/${channelId}/messages?after=${after}&limit=${atOnce}`
    const page = await rest.call(listed, { method: 'GET', path }, signal)
    // They come newest first.
    found.push(...page.toReversed())
    after = page[0]?.id ?? after
    if (page.length < atOnce) break
  }
  return found
}
