import { z } from 'zod'
import type { ListedChannel } from '../platform.ts'
import type { SlackClient } from './client.ts'
import type { SlackTeams } from './teams.ts'

/** Channels of one call, and calls of one workspace at most. */
const [pageChannels, maxPages] = [200, 25]

const page = z.looseObject({
  channels: z.array(z.looseObject({ id: z.string(), name: z.string().optional() })).default([]),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
})

/** The channels of each workspace that the app is in. Throws `PlatformError`. */
export async function listChannels(
  { client, teams }: { readonly client: SlackClient; readonly teams: SlackTeams },
  signal: AbortSignal,
): Promise<readonly ListedChannel[]> {
  const found: ListedChannel[] = []
  const method = 'users.conversations'
  for (const { token, name: guild } of teams.all) {
    let cursor = ''
    for (let pages = 0; pages < maxPages; pages++) {
      const call = {
        types: 'public_channel,private_channel',
        exclude_archived: true,
        limit: pageChannels,
        ...(cursor !== '' && { cursor }),
      }
      const answer = page.parse(await client.call(token, method, call, { signal }))
      found.push(...answer.channels.flatMap(({ id, name }) => (name ? [{ id, name, type: 'channel', guild }] : [])))
      cursor = answer.response_metadata?.next_cursor ?? ''
      if (cursor === '') break
    }
  }
  return found
}
