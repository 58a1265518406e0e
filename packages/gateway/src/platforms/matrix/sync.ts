import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import { eventList, memberContent } from './events.ts'
import type { RoomEvent } from './events.ts'
import { MatrixError } from './errors.ts'
import { fetchGap, sinceJoined } from './history.ts'
import { joinRoom } from './room-calls.ts'
import type { EventTaker, MatrixParts, Taken } from './take-event.ts'

/** Longest that the server waits for news, ms. */
const pollMs = 30_000

/** Syncs in a row that may fail before the connection counts as lost. */
const maxFailures = 3

/** Syncs whose events are not all stored yet. */
const maxUnstored = 8

const strings = z.array(z.string()).catch([])

const joined = z.looseObject({
  state: z.looseObject({ events: eventList }).optional(),
  timeline: z
    .looseObject({ events: eventList, limited: z.boolean().optional(), prev_batch: z.string().optional() })
    .optional(),
})

const syncAnswer = z.looseObject({
  next_batch: z.string(),
  account_data: z.looseObject({ events: eventList }).optional(),
  to_device: z.looseObject({ events: z.array(z.unknown()) }).optional(),
  device_lists: z.looseObject({ changed: strings.optional(), left: strings.optional() }).optional(),
  device_one_time_keys_count: z.record(z.string(), z.number()).optional(),
  device_unused_fallback_key_types: z.array(z.string()).optional(),
  rooms: z
    .looseObject({
      join: z.record(z.string(), joined).optional(),
      invite: z
        .record(z.string(), z.looseObject({ invite_state: z.looseObject({ events: eventList }).optional() }))
        .optional(),
      leave: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
})

export type SyncAnswer = z.infer<typeof syncAnswer>
type JoinedRoom = z.infer<typeof joined>

const wanted = ['m.room.message', 'm.room.encrypted', 'm.reaction']
const told = ['m.room.member', 'm.room.encryption', 'm.room.name']

/** What is asked of the server. The first time, what was said before is not. */
const filterOf = (isFirst: boolean) =>
  JSON.stringify({
    presence: { types: [] },
    account_data: { types: ['m.direct'] },
    room: {
      account_data: { types: [] },
      ephemeral: { types: [] },
      state: isFirst ? { types: [] } : { types: told, lazy_load_members: true },
      timeline: isFirst ? { limit: 1, types: [] } : { limit: 50, types: [...wanted, ...told] },
    },
  })

/**
 * Takes what happens until `signal` aborts or the connection is lost; resolves to why. Where the next sync goes on is kept
 * only when everything before is stored; what it tells of keys is on disk before the server is asked again, which makes it
 * forget that.
 */
export async function syncForever(parts: MatrixParts, taker: EventTaker, signal: AbortSignal): Promise<unknown> {
  const { state, host, settings } = parts
  const unstored = createUnstored(parts)
  const both = AbortSignal.any([signal, unstored.broken])
  let since = await state.since()
  let failures = 0
  for (;;) {
    try {
      const answer = await ask(parts, since, both)
      const taken = await takeAnswer(answer, since, { ...parts, taker }, both)
      since = answer.next_batch
      failures = 0
      await unstored.add(since, taken)
    } catch (error) {
      if (both.aborted) return both.reason
      const code = error instanceof PlatformError ? error.code : undefined
      if (code === 'unauthorised') return whyUnauthorised(error, settings)
      if (code === undefined || ++failures >= maxFailures) return error
      host.log.warn({ error: String(error) }, 'news cannot be fetched')
      const pause = (error instanceof PlatformError && error.retryAfterMs) || settings.retryMs * 2 ** (failures - 1)
      await wait(pause, undefined, { signal: both }).catch(() => undefined)
    }
  }
}

/** A password signs in anew; then the connection is only lost. */
function whyUnauthorised(error: unknown, { credentials }: MatrixParts['settings']): unknown {
  return credentials.type === 'password' ? new Error('The session has ended; it is signed in anew.') : error
}

async function ask({ client }: MatrixParts, since: string | undefined, signal: AbortSignal): Promise<SyncAnswer> {
  const query = { filter: filterOf(since === undefined), timeout: since === undefined ? 0 : pollMs, since }
  const timeoutMs = since === undefined ? 120_000 : pollMs + 30_000
  return client.call(syncAnswer, { method: 'GET', path: '/client/v3/sync', query, timeoutMs }, signal)
}

interface Taking extends MatrixParts {
  readonly taker: EventTaker
}

async function takeAnswer(
  answer: SyncAnswer,
  since: string | undefined,
  taking: Taking,
  signal: AbortSignal,
): Promise<readonly Taken[]> {
  const { encryption, rooms, taker, host } = taking
  const keys = await encryption?.learn({
    toDevice: answer.to_device?.events ?? [],
    changed: answer.device_lists?.changed ?? [],
    left: answer.device_lists?.left ?? [],
    oneTimeKeys: answer.device_one_time_keys_count ?? {},
    unusedFallbackKeys: answer.device_unused_fallback_key_types,
  })
  for (const { type, content } of answer.account_data?.events ?? []) if (type === 'm.direct') rooms.setDirect(content)
  for (const roomId of Object.keys(answer.rooms?.leave ?? {})) rooms.forget(roomId)
  for (const [roomId, invite] of Object.entries(answer.rooms?.invite ?? {})) {
    await accept(roomId, invite.invite_state?.events ?? [], taking, signal)
  }
  await encryption?.settle(signal).catch((error: unknown) => {
    signal.throwIfAborted()
    // What is not told now is told after the next sync.
    host.log.warn({ error: String(error) }, 'keys could not be exchanged')
  })
  const taken = keys?.hasNewKeys ? [...(await taker.retrySealed())] : []
  for (const [roomId, room] of Object.entries(answer.rooms?.join ?? {})) {
    try {
      for (const event of await newEvents(roomId, room, since, taking, signal)) {
        taken.push(await taker.take(roomId, event))
      }
    } catch (error) {
      signal.throwIfAborted()
      if (!isClosed(error)) throw error
      // We were sent out of it meanwhile.
      host.log.warn({ room: roomId, error: error.message }, 'a room is not open to us any more')
    }
  }
  return taken
}

/** What was said in a room since the last sync, oldest first. */
async function newEvents(
  roomId: string,
  { state, timeline }: JoinedRoom,
  since: string | undefined,
  { rooms, client, session }: Taking,
  signal: AbortSignal,
): Promise<readonly RoomEvent[]> {
  const events = timeline?.events ?? []
  rooms.apply(roomId, [...(state?.events ?? []), ...events])
  if (since === undefined) return []
  const own = sinceJoined(events, session.userId)
  if (own || !timeline?.limited || timeline.prev_batch === undefined) return own ?? events
  const earlier = await fetchGap(client, { roomId, from: timeline.prev_batch, to: since, types: wanted }, signal)
  return [...earlier, ...events]
}

/** Whether the server will never let us do it. */
function isClosed(error: unknown): error is MatrixError {
  return error instanceof MatrixError && (error.code === 'refused' || error.code === 'gone')
}

/** Goes into a room. One that has gone meanwhile is left alone. */
async function accept(
  roomId: string,
  events: readonly RoomEvent[],
  { client, rooms, session, host }: Taking,
  signal: AbortSignal,
): Promise<void> {
  try {
    await joinRoom(client, roomId, signal)
    const invite = events.find(({ type, state_key: key }) => type === 'm.room.member' && key === session.userId)
    if (invite?.sender !== undefined && memberContent.parse(invite.content).is_direct) {
      await rooms.addDirect(invite.sender, roomId)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!isClosed(error)) throw error
    host.log.warn({ room: roomId, error: error.message }, 'an invitation cannot be accepted')
  }
}

/** Syncs that were taken, of which the gateway has not stored everything yet. */
function createUnstored({ state }: Pick<MatrixParts, 'state'>) {
  const waiting: Promise<void>[] = []
  const broken = new AbortController()
  let last: Promise<void> = Promise.resolve()
  return {
    /** Aborts where something could not be stored: it must come again. */
    broken: broken.signal,
    /** Keeps `since` when all before it is stored. Resolves when another sync may be taken. */
    async add(since: string, taken: readonly Taken[]): Promise<void> {
      const before = last
      const all = Promise.all(taken.map(({ stored }) => stored))
      last = before.then(async () => {
        await all
        await state.setSince(since)
      })
      waiting.push(last)
      for (const promise of [all, last]) promise.catch((error: unknown) => broken.abort(error))
      if (waiting.length > maxUnstored) await waiting.shift()
    },
  }
}
