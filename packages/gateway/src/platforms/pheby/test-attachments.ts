import { readFile, writeFile } from 'node:fs/promises'
import type { Clock } from '@hermes/core/agent/clock.ts'
import { openHome } from '@hermes/core/config/home.ts'
import { temporaryHome } from '@hermes/testing'
import { openAttachments } from './attachments.ts'
import type { NewAttachment } from './attachments.ts'
import { openPhebyDatabase } from './store/database.ts'
import { createStoredAttachments } from './store/stored-attachments.ts'

/** Managed files with a clock of their own, for tests. */
export async function createAttachmentsForTest({
  retentionDays = 7,
  freeBytes,
}: { readonly retentionDays?: number; readonly freeBytes?: () => Promise<number> } = {}) {
  const temporary = await temporaryHome({})
  const home = openHome(temporary.environment)
  const db = await openPhebyDatabase(home)
  let at = Date.parse('2026-09-02T18:00:00Z')
  const clock: Clock = { now: () => at, timeZone: 'UTC' }
  const stored = createStoredAttachments(db, () => at)
  const attachments = await openAttachments({ home, stored, clock, retentionDays, ...(freeBytes && { freeBytes }) })
  return {
    attachments,
    folder: home.path('pheby', 'attachments'),
    signal: new AbortController().signal,
    path: (name: string) => temporary.path(name),
    async put(name: string, content: string) {
      await writeFile(temporary.path(name), content)
      return temporary.path(name)
    },
    read: (name: string) => readFile(temporary.path(name), 'utf8'),
    file: (path: string, kind: NewAttachment['part']['kind']): NewAttachment => ({
      key: `file:${path}`,
      conversationId: 'c',
      messageId: undefined,
      part: { type: 'file', kind, path },
    }),
    pass(ms: number) {
      at += ms
    },
    async [Symbol.asyncDispose]() {
      db.close()
      await temporary[Symbol.asyncDispose]()
    },
  }
}
