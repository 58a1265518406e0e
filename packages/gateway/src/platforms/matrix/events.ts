import { z } from 'zod'

// What is read of events. Everything in them comes from other people's apps: what is not as it should be is not there.

const text = z.string().optional().catch(undefined)
const number = z.number().optional().catch(undefined)

/** An event of a room's timeline or state. */
export const roomEvent = z.looseObject({
  event_id: text,
  type: z.string(),
  sender: text,
  state_key: text,
  origin_server_ts: number,
  content: z.record(z.string(), z.unknown()).catch({}),
  unsigned: z.looseObject({}).optional().catch(undefined),
})

export type RoomEvent = z.infer<typeof roomEvent>

/** Events of a list; what is none is left out. */
export const eventList = z
  .array(z.unknown())
  .catch([])
  .transform((all) => all.flatMap((one) => roomEvent.safeParse(one).data ?? []))

export const relation = z.looseObject({
  rel_type: text,
  event_id: text,
  key: text,
  is_falling_back: z.boolean().optional().catch(undefined),
  'm.in_reply_to': z.looseObject({ event_id: text }).optional().catch(undefined),
})

export type Relation = z.infer<typeof relation>

/** A file that was encrypted before it was uploaded: https://spec.matrix.org/latest/client-server-api/#extensions-to-mroommessage-msgtypes */
export const encryptedFile = z.looseObject({
  url: z.string(),
  key: z.looseObject({ k: z.string(), alg: z.literal('A256CTR') }),
  iv: z.string(),
  hashes: z.looseObject({ sha256: z.string() }),
  v: z.literal('v2'),
})

export type EncryptedFile = z.infer<typeof encryptedFile>

export const messageContent = z.looseObject({
  msgtype: text,
  body: z.string().catch(''),
  format: text,
  formatted_body: text,
  filename: text,
  url: text,
  geo_uri: text,
  file: encryptedFile.optional().catch(undefined),
  info: z.looseObject({ mimetype: text, size: number }).optional().catch(undefined),
  'm.mentions': z
    .looseObject({ user_ids: z.array(z.string()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  'm.relates_to': relation.optional().catch(undefined),
  'org.matrix.msc3245.voice': z.unknown().optional(),
})

export type MessageContent = z.infer<typeof messageContent>

export const memberContent = z.looseObject({
  membership: text,
  displayname: text,
  is_direct: z.boolean().optional().catch(undefined),
})

export const encryptionContent = z.looseObject({
  algorithm: text,
  rotation_period_ms: number,
  rotation_period_msgs: number,
})

/** Rooms of each person that are direct chats. */
export const directContent = z.record(z.string(), z.array(z.string()).catch([])).catch({})
