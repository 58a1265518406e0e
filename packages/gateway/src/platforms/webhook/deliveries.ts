import { readFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { z } from 'zod'

/** How long it is known what was brought, ms, and of how many events at most. */
const [keptMs, maxKept] = [24 * 3_600_000, 2_000]

/** How long it is known by what was signed, ms: less than a day, for events that say the same each day. */
const signedMs = 23 * 3_600_000

const delivery = z.object({
  /** Ms since 1970. */
  at: z.number(),
  route: z.string(),
  /** `log`, `local`, `github_comment:owner/repo#number`, `platform`, or `platform:chat[:thread]`. */
  target: z.string(),
  /** Its message is in durable storage. */
  isTaken: z.boolean(),
  /** Digest of its route and of what was signed. */
  signed: z.string().optional(),
})

export type Delivery = z.infer<typeof delivery>

/** What was taken over, and where its answer goes: on disk, so that a restart neither doubles nor loses one. */
export interface Deliveries {
  find(chatId: string): Delivery | undefined
  /** The conversation of the event that was brought with the same signed bytes a short time before `now`. */
  chatOfSigned(signed: string, now: number): string | undefined
  /** Resolves when it is on disk. */
  keep(chatId: string, delivery: Delivery): Promise<void>
}

/** Opens `webhook_deliveries.json`; one that cannot be read counts as empty. */
export async function openDeliveries(home: Home): Promise<Deliveries> {
  const path = home.path('webhook_deliveries.json')
  const known = new Map(Object.entries(await read(path)))
  let writing: Promise<void> = Promise.resolve()
  return {
    find: (chatId) => known.get(chatId),
    chatOfSigned: (signed, now) =>
      known.entries().find(([, one]) => one.signed === signed && one.at > now - signedMs)?.[0],
    async keep(chatId, one) {
      known.set(chatId, one)
      for (const [key, { at }] of known) if (at < one.at - keptMs || known.size > maxKept) known.delete(key)
      const write = () => writeFileAtomic(path, JSON.stringify(Object.fromEntries(known)), { mode: 0o600 })
      writing = writing.then(write, write)
      await writing
    },
  }
}

async function read(path: string): Promise<Readonly<Record<string, Delivery>>> {
  try {
    return z.record(z.string(), delivery).safeParse(JSON.parse(await readFile(path, 'utf8'))).data ?? {}
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return {}
    throw error
  }
}
