import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { createBoundedMap } from './bounded-map.ts'
import type { SlackClient } from './client.ts'
import type { SlackTeam } from './teams.ts'

/** Names of people and channels, asked for once; undefined where they cannot be told now. */
export interface SlackNames {
  user(team: SlackTeam, id: string): Promise<string | undefined>
  channel(team: SlackTeam, id: string): Promise<string | undefined>
}

const maxNames = 5_000

/** Longest that a name is waited for, ms. */
const nameMs = 2_000

const userAnswer = lazily(() =>
  z.looseObject({
    user: z.looseObject({
      name: z.string().optional(),
      real_name: z.string().optional(),
      profile: z.looseObject({ display_name: z.string().optional(), real_name: z.string().optional() }).optional(),
    }),
  }),
)
const channelAnswer = lazily(() => z.looseObject({ channel: z.looseObject({ name: z.string().optional() }) }))

export function createNames(client: SlackClient, signal: AbortSignal): SlackNames {
  const known = createBoundedMap<Promise<string | undefined>>(maxNames)

  /** One that could not be told is asked for again the next time. */
  function ask(key: string, read: () => Promise<string | undefined>): Promise<string | undefined> {
    const present = known.get(key)
    if (present) return present
    const asking = read().catch(() => {
      known.delete(key)
      return undefined
    })
    known.set(key, asking)
    return asking
  }

  return {
    user: (team, id) =>
      ask(`${team.id} ${id}`, async () => {
        const options = { signal, timeoutMs: nameMs }
        const answer = await client.call(team.token, 'users.info', { user: id }, options)
        const { name, real_name: real, profile } = userAnswer().parse(answer).user
        return [profile?.display_name, real, profile?.real_name, name].find(Boolean)
      }),
    channel: (team, channel) =>
      ask(`${team.id} ${channel}`, async () => {
        const options = { signal, timeoutMs: nameMs }
        const answer = await client.call(team.token, 'conversations.info', { channel }, options)
        return channelAnswer().parse(answer).channel.name || undefined
      }),
  }
}
