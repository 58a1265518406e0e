import { readFileSync } from 'node:fs'

/** What tells a process from a later one with the same id: when it started, in the kernel's ticks. */
export function startTicks(pid: number): string | undefined {
  let status: string
  try {
    status = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    // No such process, or a system without /proc.
    return undefined
  }
  // The name in parentheses may hold spaces and parentheses; the 22nd field is the 20th after it.
  return status.slice(status.lastIndexOf(')') + 2).split(' ')[19]
}

/** Whether a process runs, and is the one that started at `ticks`, where that is known. */
export function isRunning(pid: number, ticks?: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EPERM'
    if (!exists) return false
  }
  const now = startTicks(pid)
  return ticks === undefined || now === undefined || ticks === now
}
