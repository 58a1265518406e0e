import { appendFile } from 'node:fs/promises'
import type { Home } from '../../config/home.ts'
import { ensureHubFolder, hubPath } from './hub-folder.ts'

export type AuditAction = 'INSTALL' | 'UPDATE' | 'UNINSTALL' | 'BLOCKED' | 'AGENT_WRITE' | 'AGENT_DELETE' | 'RECOVERED'

export interface AuditEvent {
  readonly action: AuditAction
  readonly name: string
  readonly source: string
  readonly trust: string
  readonly verdict: string
  readonly extra?: string
  /** ms since the epoch. */
  readonly at: number
}

/** Adds a line to `skills/.hub/audit.log`: `<time> <ACTION> <name> <source>:<trust> <verdict> [extra]`. */
export async function writeAudit(home: Home, event: AuditEvent): Promise<void> {
  await ensureHubFolder(home)
  const time = new Date(event.at).toISOString().replace(/\.\d+Z$/, 'Z')
  const words = [time, event.action, event.name, `${event.source}:${event.trust}`, event.verdict, event.extra ?? '']
  const line = words.map((word) => word.replaceAll(/[\s\p{Cc}]+/gu, '_').slice(0, 300)).filter((word) => word !== '')
  await appendFile(hubPath(home, 'audit.log'), `${line.join(' ')}\n`, { mode: 0o600 })
}
