import { readFile, rm, unlink } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { withFileLock } from '@hermes/core/storage/file-lock.ts'
import { isRunning, startTicks } from '@hermes/core/terminals/process-identity.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { isGatewayCommand } from './process-facts.ts'

/** Upstream's `gateway.pid`: which process is the profile's gateway. `start_time` tells it from a later one of its id. */
const record = lazily(() =>
  z.looseObject({
    pid: z.int().positive(),
    kind: z.string().optional(),
    argv: z.array(z.string()).optional(),
    start_time: z.union([z.number(), z.string()]).nullish(),
  }),
)

/** A process that is the gateway. */
export interface RunningGateway {
  readonly pid: number
}

/** The profile's gateway, if one runs; what a dead one left behind counts as none. */
export async function findGateway(home: Home): Promise<RunningGateway | undefined> {
  const found = await readRecord(home)
  if (!found) return undefined
  const { pid, start_time: started } = found
  const ticks = started === undefined || started === null ? undefined : String(started)
  if (!isRunning(pid, ticks)) return undefined
  // Without its start a process of the same id may be anything else by now.
  return ticks === undefined && !(await isGatewayCommand(pid)) ? undefined : { pid }
}

/**
 * Makes this process the profile's gateway. Resolves to the one that is it already, where there is; then nothing was
 * changed.
 */
export async function claimGateway(home: Home): Promise<RunningGateway | undefined> {
  return withFileLock(pathOf(home), async () => {
    const other = await findGateway(home)
    if (other && other.pid !== process.pid) return other
    await writeFileAtomic(pathOf(home), JSON.stringify(ownRecord()), { mode: 0o600, isSynced: false })
    return undefined
  })
}

/** The words that the gateway which runs was started with, or ran last; none where nobody knows. */
export async function gatewayWords(home: Home): Promise<readonly string[]> {
  return (await readRecord(home))?.argv ?? []
}

/** How often it is looked whether a process has gone, and how long one that was killed may take, ms. */
const [lookMs, killedMs] = [100, 5_000]

/**
 * Ends the gateway of a home, and waits until it is gone: in order within `graceMs`, by force after that where `isForced`.
 * Resolves to whether it is. Throws the reason of `signal`.
 */
export async function endGateway(
  home: Home,
  { pid, graceMs, isForced }: RunningGateway & { readonly graceMs: number; readonly isForced: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const isGone = async (withinMs: number) => {
    const until = performance.now() + withinMs
    while ((await findGateway(home))?.pid === pid) {
      if (performance.now() > until) return false
      await wait(lookMs, undefined, { signal })
    }
    return true
  }
  if (!send(pid, 'SIGTERM') || (await isGone(graceMs))) return true
  return isForced && (!send(pid, 'SIGKILL') || (await isGone(killedMs)))
}

/** Whether there was a process to send it to. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
    throw error
  }
}

/** This process is the gateway no longer. */
export async function releaseGateway(home: Home): Promise<void> {
  await withFileLock(pathOf(home), async () => {
    const found = await readRecord(home)
    if (found?.pid === process.pid) await rm(pathOf(home), { force: true })
  })
}

/** Marks that the last gateway ended in order; upstream looks for it. */
export async function markCleanShutdown(home: Home): Promise<void> {
  await writeFileAtomic(home.path('.clean_shutdown'), '', { mode: 0o600 })
}

/** Whether the last gateway ended in order. Takes the mark away. */
export async function takeCleanShutdown(home: Home): Promise<boolean> {
  try {
    await unlink(home.path('.clean_shutdown'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** This process as upstream's files name it. */
export function ownRecord() {
  return { pid: process.pid, kind: 'hermes-gateway', argv: ownCommand(), start_time: ownStart() }
}

/** In the words by which upstream knows a gateway. */
function ownCommand(): readonly string[] {
  return ['hermes', ...process.argv.slice(2)]
}

function ownStart(): number | null {
  const ticks = startTicks(process.pid)
  return ticks === undefined ? null : Number(ticks)
}

async function readRecord(home: Home): Promise<z.infer<ReturnType<typeof record>> | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(pathOf(home), 'utf8'))
    // An older form is the number alone.
    return record().safeParse(typeof value === 'number' ? { pid: value } : value).data
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return undefined
    throw error
  }
}

function pathOf(home: Home): string {
  return home.path('gateway.pid')
}
