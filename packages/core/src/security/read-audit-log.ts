import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { z } from 'zod'
import type { Home } from '../config/home.ts'
import { auditLogBackups } from './audit-log.ts'
import type { AuditEntry } from './audit-log.ts'

const entrySchema = z.looseObject({
  time: z.string(),
  session: z.string().catch(''),
  platform: z.string().catch(''),
  kind: z.string().catch(''),
  subject: z.string().catch(''),
  dangers: z.array(z.string()).catch([]),
  decision: z.enum(['allowed', 'denied']),
  by: z.string().catch(''),
  scope: z.string().optional().catch(undefined),
})

/** A line as it was read: other versions may know more kinds and deciders. */
export type AuditRecord = Omit<AuditEntry, 'kind' | 'by' | 'scope'> & z.output<typeof entrySchema>

/** More of a file is not read, bytes: it is cut before it is so long. */
const maxFileBytes = 16 * 1024 * 1024

/** The last `limit` decisions that `isWanted` takes, oldest first. Lines that are none are passed over. */
export async function readAuditLog(
  home: Home,
  { limit, isWanted = () => true }: { readonly limit: number; readonly isWanted?: (entry: AuditRecord) => boolean },
): Promise<AuditRecord[]> {
  const found: AuditRecord[] = []
  for (let number = 0; number <= auditLogBackups && found.length < limit; number++) {
    const path = home.path('logs', `audit.jsonl${number === 0 ? '' : `.${number}`}`)
    const lines = (await textOf(path)).split('\n')
    for (const line of lines.toReversed()) {
      const entry = line === '' ? undefined : entryIn(line)
      if (entry && isWanted(entry)) found.push(entry)
      if (found.length >= limit) break
    }
  }
  return found.toReversed()
}

function entryIn(line: string): AuditRecord | undefined {
  try {
    return entrySchema.safeParse(JSON.parse(line)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The last part of a file; empty where it is none. */
async function textOf(path: string): Promise<string> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (!stats.isFile()) return ''
    const start = Math.max(0, stats.size - maxFileBytes)
    const bytes = Buffer.alloc(stats.size - start)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, start)
    return bytes.toString('utf8', 0, bytesRead)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENXIO')) return ''
    throw error
  }
}
