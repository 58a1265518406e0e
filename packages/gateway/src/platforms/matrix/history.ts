import { z } from 'zod'
import { apiPath } from './client.ts'
import type { MatrixCall, MatrixClient } from './client.ts'
import { eventList, memberContent } from './events.ts'
import type { RoomEvent } from './events.ts'

/** Events of a gap that are fetched; of a longer one the oldest are left out. */
const maxEvents = 1_000

const page = z.looseObject({ chunk: eventList, end: z.string().optional() })

export interface Gap {
  readonly roomId: string
  /** Where the newer side is, and where the older one. */
  readonly from: string
  readonly to: string
  readonly types: readonly string[]
}

/** What was said while we were away and is too much for a sync, oldest first. */
export async function fetchGap(client: MatrixClient, gap: Gap, signal: AbortSignal): Promise<readonly RoomEvent[]> {
  const path = apiPath`/client/v3/rooms/${gap.roomId}/messages`
  const filter = JSON.stringify({ types: gap.types })
  const found: RoomEvent[] = []
  let from: string | undefined = gap.from
  while (from !== undefined && found.length < maxEvents) {
    const query: MatrixCall['query'] = { dir: 'b', from, to: gap.to, limit: 100, filter }
    const { chunk, end }: z.infer<typeof page> = await client.call(page, { method: 'GET', path, query }, signal)
    found.push(...chunk)
    from = end === from ? undefined : end
  }
  return found.toReversed()
}

/**
 * What was said since we were invited, where we came into the room within these events; else undefined. What was said in it
 * before is no message to us.
 */
export function sinceJoined(events: readonly RoomEvent[], userId: string): readonly RoomEvent[] | undefined {
  const memberships = events.map(({ type, state_key: key, content }) =>
    type === 'm.room.member' && key === userId ? memberContent.parse(content).membership : undefined,
  )
  const joinedAt = memberships.lastIndexOf('join')
  const isComing = joinedAt >= 0 && !wasIn(events[joinedAt])
  if (!isComing) return undefined
  const invitedAt = memberships.lastIndexOf('invite', joinedAt)
  return events.slice((invitedAt >= 0 ? invitedAt : joinedAt) + 1)
}

/** A change of our name is a join, too. */
function wasIn(event: RoomEvent | undefined): boolean {
  const before = z.looseObject({ membership: z.string() }).safeParse(event?.unsigned?.['prev_content'])
  return before.data?.membership === 'join'
}
