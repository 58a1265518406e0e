import { z } from 'zod'
import { apiPath } from './client.ts'
import type { MatrixClient } from './client.ts'
import type { RoomEncryption } from './crypto/encryption.ts'
import { directContent, encryptionContent, eventList, memberContent } from './events.ts'
import type { RoomEvent } from './events.ts'
import { MatrixError } from './errors.ts'

/** What is known of a room that we are in. */
export interface Room {
  readonly id: string
  readonly name: string | undefined
  /** Absent: its messages are not encrypted. */
  readonly encryption: RoomEncryption | undefined
  /** Names of those who are in it or invited, by id. */
  readonly members: ReadonlyMap<string, string | undefined>
  readonly isDirect: boolean
}

export interface Rooms {
  /** Asks the server about a room that is not known yet. Throws `PlatformError`. */
  get(roomId: string): Promise<Room>
  /** Takes what a sync tells of a room's state. */
  apply(roomId: string, events: readonly RoomEvent[]): void
  /** Takes which rooms are direct chats. */
  setDirect(content: unknown): void
  /** Adds one to them, on the server too. */
  addDirect(userId: string, roomId: string): Promise<void>
  forget(roomId: string): void
}

/** Rooms whose state is kept; others are asked for again. */
const maxRooms = 200

interface KnownRoom {
  name: string | undefined
  encryption: RoomEncryption | undefined
  readonly members: Map<string, string | undefined>
  /** What came while the server was asked. */
  waiting: RoomEvent[] | undefined
  loading: Promise<void>
}

const nameContent = z.looseObject({ name: z.string().optional().catch(undefined) })

export interface RoomsOptions {
  readonly client: MatrixClient
  readonly userId: string
  /** Remembers that a room is encrypted, which never ends; gives what is remembered. */
  readonly remember: (roomId: string, claimed: RoomEncryption | undefined) => Promise<RoomEncryption | undefined>
}

/** `signal` ends with the connection. */
export function createRooms({ client, userId, remember }: RoomsOptions, signal: AbortSignal): Rooms {
  const rooms = new Map<string, KnownRoom>()
  let direct: Readonly<Record<string, readonly string[]>> = {}

  async function load(roomId: string, room: KnownRoom): Promise<void> {
    const state = async <T>(schema: z.ZodType<T>, type: string): Promise<T | undefined> => {
      try {
        return await client.call(
          schema,
          { method: 'GET', path: apiPath`/client/v3/rooms/${roomId}/state/${type}/` },
          signal,
        )
      } catch (error) {
        if (error instanceof MatrixError && error.errcode === 'M_NOT_FOUND') return undefined
        throw error
      }
    }
    const members = {
      method: 'GET',
      path: apiPath`/client/v3/rooms/${roomId}/members`,
      query: { not_membership: 'leave' },
    } as const
    const [encryption, name, all] = await Promise.all([
      state(encryptionContent, 'm.room.encryption'),
      state(nameContent, 'm.room.name'),
      client.call(z.looseObject({ chunk: eventList }), members, signal),
    ])
    room.name = name?.name
    room.encryption = await remember(roomId, encryption && settingsOf(encryption))
    for (const event of [...all.chunk, ...(room.waiting ?? [])]) take(room, event)
    room.waiting = undefined
  }

  function take(room: KnownRoom, { type, state_key: key, content }: RoomEvent): void {
    if (key === undefined) return
    if (type === 'm.room.name') room.name = nameContent.parse(content).name
    if (type === 'm.room.encryption') room.encryption = settingsOf(encryptionContent.parse(content))
    if (type !== 'm.room.member') return
    const { membership, displayname } = memberContent.parse(content)
    if (membership === 'join' || membership === 'invite') room.members.set(key, displayname)
    else room.members.delete(key)
  }

  function open(roomId: string): KnownRoom {
    const known = rooms.get(roomId)
    const room: KnownRoom = known ?? {
      name: undefined,
      encryption: undefined,
      members: new Map(),
      waiting: [],
      loading: Promise.resolve(),
    }
    // The one that was used last goes last.
    rooms.delete(roomId)
    rooms.set(roomId, room)
    if (!known) {
      room.loading = load(roomId, room)
      room.loading.catch(() => {
        if (rooms.get(roomId) === room) rooms.delete(roomId)
      })
      const [oldest] = rooms.keys()
      if (rooms.size > maxRooms && oldest !== undefined) rooms.delete(oldest)
    }
    return room
  }

  const isDirect = (roomId: string, members: ReadonlyMap<string, unknown>) =>
    Object.values(direct).some((ids) => ids.includes(roomId)) || (members.size === 2 && members.has(userId))

  return {
    async get(roomId) {
      const room = open(roomId)
      await room.loading
      const { name, encryption, members } = room
      return { id: roomId, name, encryption, members, isDirect: isDirect(roomId, members) }
    },
    apply(roomId, events) {
      const room = rooms.get(roomId)
      for (const event of events) {
        if (room?.waiting) room.waiting.push(event)
        else if (room) take(room, event)
      }
    },
    setDirect(content) {
      direct = directContent.parse(content)
    },
    async addDirect(other, roomId) {
      direct = { ...direct, [other]: [...new Set([...(direct[other] ?? []), roomId])] }
      const path = apiPath`/client/v3/user/${userId}/account_data/m.direct`
      await client.call(z.unknown(), { method: 'PUT', path, body: direct }, signal)
    },
    forget: (roomId) => void rooms.delete(roomId),
  }
}

function settingsOf(content: z.infer<typeof encryptionContent>): RoomEncryption {
  const { rotation_period_ms: ms, rotation_period_msgs: messages } = content
  return {
    ...(ms !== undefined && ms > 0 && { rotationMs: ms }),
    ...(messages !== undefined && messages > 0 && { rotationMessages: messages }),
  }
}
