import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { z } from 'zod'

/** Mails that are remembered: for what is answered later, and for what comes twice. */
const [maxThreads, maxKnown] = [500, 2_000]

/** Ids of a thread that are repeated in an answer: the first, and the newest. */
const maxReferences = 20

const threadSchema = z.object({
  messageId: z.string(),
  chatId: z.string(),
  subject: z.string(),
  references: z.array(z.string()),
})

/** How far the mailbox is read. Numbers (UIDs) hold while `uidValidity` is the same. */
const cursorSchema = z.object({
  uidValidity: z.string(),
  lastUid: z.number().int().min(0),
  /** When the newest mail came that was read, ms since 1970. */
  lastCameAt: z.number(),
  /** What is older was read under other numbers, or is from before the first start. */
  notBefore: z.number().optional(),
})

const recordsSchema = z.object({
  mailbox: z.string(),
  cursor: cursorSchema.optional(),
  known: z.array(z.string()).default([]),
  threads: z.array(threadSchema).default([]),
})

/** A mail that can be answered. */
export type MailThread = z.infer<typeof threadSchema>
export type MailCursor = z.infer<typeof cursorSchema>

/** What a restart has to know: `email_mailbox.json`. */
export interface MailRecords {
  readonly cursor: MailCursor | undefined
  /** Resolves when it is on disk. */
  move(cursor: MailCursor): Promise<void>
  /** Whether a mail of this id was taken. */
  isKnown(messageId: string): boolean
  /** Notes a mail that is being taken, so that it can be answered. It is on disk with the next `move`, as the next is. */
  note(thread: MailThread): void
  /** Notes that a mail of this id was taken. */
  taken(messageId: string): void
  /** The mail of that id in a chat, or the newest of the chat. */
  thread(chatId: string, messageId: string | undefined): MailThread | undefined
}

/** Opens what is known of a mailbox; of another one nothing is. A file that cannot be read counts as empty. */
export async function openMailRecords(home: Home, mailbox: string): Promise<MailRecords> {
  const path = home.path('email_mailbox.json')
  const found = await read(path)
  const records = found?.mailbox === mailbox ? found : { mailbox, known: [], threads: [] }
  const known = new Set(records.known)
  const threads = new Map(records.threads.map((thread) => [thread.messageId, thread]))
  let { cursor } = records
  return {
    get cursor() {
      return cursor
    },
    async move(next) {
      cursor = next
      const whole = { mailbox, cursor, known: [...known], threads: [...threads.values()] }
      await writeFileAtomic(path, JSON.stringify(whole), { mode: 0o600 })
    },
    isKnown: (messageId) => known.has(digest(messageId)),
    note(thread) {
      const { references } = thread
      const bounded =
        references.length > maxReferences ? [references[0] ?? '', ...references.slice(1 - maxReferences)] : references
      threads.delete(thread.messageId)
      threads.set(thread.messageId, { ...thread, references: bounded })
      for (const id of threads.keys()) if (threads.size > maxThreads) threads.delete(id)
    },
    taken: (messageId) => keepNewest(known, digest(messageId), maxKnown),
    thread(chatId, messageId) {
      const named = messageId === undefined ? undefined : threads.get(messageId)
      if (named?.chatId === chatId) return named
      return [...threads.values()].findLast((thread) => thread.chatId === chatId)
    },
  }
}

function keepNewest(known: Set<string>, one: string, most: number): void {
  known.delete(one)
  known.add(one)
  for (const oldest of known) if (known.size > most) known.delete(oldest)
}

function digest(messageId: string): string {
  return createHash('sha256').update(messageId).digest('base64url').slice(0, 16)
}

async function read(path: string): Promise<z.infer<typeof recordsSchema> | undefined> {
  try {
    return recordsSchema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      return undefined
    }
    throw error
  }
}
