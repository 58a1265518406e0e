// What is known of a change of several files while it is made, so that a process that dies half-way leaves all of it or
// nothing: the next one that touches files takes back what was begun, or tidies up where it was done.
import { existsSync } from 'node:fs'
import { lstat, readFile, rename, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import type { Home } from '../config/home.ts'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import { DatabaseError } from '../storage/database-error.ts'
import { withFileLock } from '../storage/file-lock.ts'
import { openFolder, removeFolders } from './open-folder.ts'

const step = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('write'),
    /** Real path of the file. */
    path: z.string(),
    /** Whether there was one before. */
    replaces: z.boolean(),
    /** Names beside it: the new content before it is in place, and the old one after that. */
    fresh: z.string(),
    backup: z.string(),
    /** What the new file is. */
    mark: z.string(),
  }),
  z.object({ type: z.literal('remove'), path: z.string(), backup: z.string() }),
  z.object({ type: z.literal('move'), from: z.string(), path: z.string(), mark: z.string() }),
])

const journal = z.object({ steps: z.array(step), madeFolders: z.array(z.string()) })

/** One step of a change, as it will be made. */
export type JournalStep = z.output<typeof step>
export type Journal = z.output<typeof journal>

/** Where a profile's changes of files are noted while they are made. */
export function journalPath(home: Home): string {
  return home.path('changes', 'journal.json')
}

/** How long another process may hold the journal when it is only looked at, ms. */
const lookMs = 200

/** Takes back, or tidies up, what a process that died was changing. Costs one look where there is nothing. */
export async function finishChanges(home: Home): Promise<void> {
  const path = journalPath(home)
  if (!existsSync(path)) return
  try {
    await withFileLock(path, () => recover(path), { timeoutMs: lookMs })
  } catch (error) {
    // A process that lives is at it.
    if (!(error instanceof DatabaseError && error.code === 'locked')) throw error
  }
}

/** Runs `fn` as the only one that changes several files at once. What it is about to do it notes with the given function. */
export async function journalled<T>(
  path: string,
  fn: (note: (steps: Journal) => Promise<void>) => Promise<T>,
): Promise<T> {
  return withFileLock(path, async () => {
    await recover(path)
    try {
      return await fn((steps) => writeFileAtomic(path, JSON.stringify(steps), { mode: 0o600 }))
    } finally {
      await rm(path, { force: true })
    }
  })
}

async function recover(path: string): Promise<void> {
  if (!existsSync(path)) return
  const noted = read(await readFile(path, 'utf8'))
  if (noted) {
    const last = noted.steps.at(-1)
    const isDone = last !== undefined && (await wasDone(last))
    for (const each of noted.steps.toReversed()) await inItsFolder(each, isDone)
    if (!isDone) await removeFolders(noted.madeFolders)
  }
  await rm(path, { force: true })
}

function read(text: string): Journal | undefined {
  try {
    return journal.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function wasDone(last: JournalStep): Promise<boolean> {
  const now = await markOf(last.path)
  if (last.type === 'remove') return now === undefined
  return now === last.mark && (last.type === 'write' || (await markOf(last.from)) === undefined)
}

/** Undoes a step, or removes what it left. A folder that is gone or lies elsewhere by now is left alone. */
async function inItsFolder(each: JournalStep, isDone: boolean): Promise<void> {
  try {
    await using folder = await openFolder(dirname(each.path))
    const at = (name: string) => join(folder.path, name)
    const path = at(basename(each.path))
    if (!isDone) await undo(each, path, at)
    if (each.type !== 'move') await unlinkIfThere(at(each.backup))
    if (each.type === 'write') await unlinkIfThere(at(each.fresh))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
}

async function undo(each: JournalStep, path: string, at: (name: string) => string): Promise<void> {
  const now = await markOf(path)
  if (each.type === 'move') {
    if (now !== each.mark) return
    await using source = await openFolder(dirname(each.from))
    const from = join(source.path, basename(each.from))
    if ((await markOf(from)) === undefined) await rename(path, from)
    else await unlink(path)
    return
  }
  if (each.type === 'remove') {
    if (now === undefined && (await markOf(at(each.backup))) !== undefined) await rename(at(each.backup), path)
    return
  }
  // What somebody has put there since is theirs.
  if (now !== each.mark) return
  if (!each.replaces) await unlink(path)
  else if ((await markOf(at(each.backup))) !== undefined) await rename(at(each.backup), path)
}

/** What tells a file from any other, and from itself after a change; undefined where there is none. */
export async function markOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtimeNs } = await lstat(path, { bigint: true })
    return `${dev}:${ino}:${size}:${mtimeNs}`
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function unlinkIfThere(path: string): Promise<void> {
  await rm(path, { force: true })
}
