import { constants, lstatSync } from 'node:fs'
import { access } from 'node:fs/promises'
import type { AuditFinding, AuditSubject } from './finding.ts'

/** Whether decisions on what is dangerous are written down. */
export async function checkAuditLog({ home }: AuditSubject): Promise<readonly AuditFinding[]> {
  const path = home.path('logs', 'audit.jsonl')
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) {
    return [
      {
        id: 'audit-log-empty',
        severity: 'info',
        where: path,
        problem: 'No decision was written down yet: nothing dangerous was to be decided on.',
        remedy: 'Nothing to do; "hermes security log" shows decisions when there are some.',
      },
    ]
  }
  if (stats.isFile() && (await isWritable(path))) return []
  return [
    {
      id: 'audit-log-lost',
      severity: 'medium',
      where: path,
      problem: stats.isFile()
        ? 'It cannot be written: decisions are not written down.'
        : 'It is no file: decisions go elsewhere.',
      remedy: `Move it away; it is made anew.`,
    },
  ]
}

async function isWritable(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
