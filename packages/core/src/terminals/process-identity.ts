import { readFileSync } from 'node:fs'

/** What tells a process from a later one with the same id: when it started, in the kernel's ticks. */
export function startTicks(pid: number): string | undefined {
  return factsOf(pid)?.ticks
}

/**
 * Whether a process runs, and is the one that started at `ticks`, where that is known. One that has ended and whose parent
 * has not asked how (in containers often nobody does) is there by name alone.
 */
export function isRunning(pid: number, ticks?: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    const exists = error instanceof Error && 'code' in error && error.code === 'EPERM'
    if (!exists) return false
  }
  const now = factsOf(pid)
  if (now === undefined) return true
  return now.state !== 'Z' && (ticks === undefined || ticks === now.ticks)
}

/** Undefined where there is no such process, and on a system without /proc. */
function factsOf(pid: number): { readonly state: string | undefined; readonly ticks: string | undefined } | undefined {
  let status: string
  try {
    status = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The name in parentheses may hold spaces and parentheses; the state comes after it, and the start 19 fields later.
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0], ticks: fields[19] }
}
