import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { Home } from '../config/home.ts'
import { scanKept } from '../security/injection/scan-kept.ts'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import { withFileLock } from '../storage/file-lock.ts'
import { MemoryError } from './memory-error.ts'
import { countChars, isOneEntry, joinEntries, parseEntries, promptBlock, shownEntries } from './memory-format.ts'

/** `memory`: the agent's notes, `MEMORY.md`. `user`: what it knows of its person, `USER.md`. */
export type MemoryTarget = 'memory' | 'user'

export interface MemoryState {
  readonly entries: readonly string[]
  readonly usedChars: number
  readonly limitChars: number
}

export interface MemoryChange extends MemoryState {
  /** False when the file said it already. */
  readonly changed: boolean
}

/**
 * A profile's memory: two small files of entries that live in every system prompt. Changes are merged into what is on
 * disk under a lock, so that many processes and a person with an editor can all write. They throw `MemoryError`.
 */
export interface MemoryFiles {
  read(target: MemoryTarget): Promise<MemoryState>
  add(target: MemoryTarget, content: string, signal?: AbortSignal): Promise<MemoryChange>
  /** `oldText`: a part that only the entry meant has. */
  replace(target: MemoryTarget, oldText: string, content: string, signal?: AbortSignal): Promise<MemoryChange>
  remove(target: MemoryTarget, oldText: string, signal?: AbortSignal): Promise<MemoryChange>
  /** A prompt block as its file is now; whoever asks keeps it as long as the prompt must not change. */
  block(target: MemoryTarget): Promise<string>
}

/** Most characters (code points) of each file's joined entries. */
export interface MemoryLimits {
  readonly memoryChars: number
  readonly userChars: number
}

/** A file larger than this is no memory file. */
const maxFileBytes = 1024 * 1024

/** Times a change is merged anew because somebody without the lock (an editor) wrote meanwhile. */
const maxMerges = 10

const lockTimeoutMs = 15_000

const titles: Readonly<Record<MemoryTarget, string>> = {
  memory: 'MEMORY (your personal notes)',
  user: 'USER PROFILE (who the user is)',
}

type Edit = (entries: readonly string[]) => readonly string[]

/** The memory of a home. Touches nothing until it is used. */
export function openMemoryFiles(home: Home, limits: MemoryLimits): MemoryFiles {
  const pathOf = (target: MemoryTarget) => home.path('memories', target === 'user' ? 'USER.md' : 'MEMORY.md')
  const limitOf = (target: MemoryTarget) => (target === 'user' ? limits.userChars : limits.memoryChars)

  const stateOf = (target: MemoryTarget, entries: readonly string[]): MemoryState => ({
    entries,
    usedChars: countChars(joinEntries(entries)),
    limitChars: limitOf(target),
  })

  async function change(target: MemoryTarget, edit: Edit, signal: AbortSignal | undefined): Promise<MemoryChange> {
    const path = pathOf(target)
    const merge = async () => {
      for (let attempt = 0; attempt < maxMerges; attempt++) {
        const before = await readMemoryFile(path)
        const old = parseEntries(before.text)
        const entries = edit(old)
        if (entries === old) return { ...stateOf(target, old), changed: false }
        const state = stateOf(target, entries)
        if (state.usedChars > state.limitChars && state.usedChars > countChars(joinEntries(old))) {
          throw overLimit(state, stateOf(target, old))
        }
        if ((await versionOnDisk(path)) !== before.version) continue
        await writeFileAtomic(path, joinEntries(entries), { mode: 0o600 })
        return { ...state, changed: true }
      }
      throw new MemoryError('unusable', `${path} kept being changed by another program; try again.`)
    }
    return withFileLock(path, merge, { signal, timeoutMs: lockTimeoutMs })
  }

  async function block(target: MemoryTarget): Promise<string> {
    const { text } = await readMemoryFile(pathOf(target))
    const entries = parseEntries(text)
    const found = await scanKept(shownEntries(entries), 'memory', home)
    const shown = entries.map((entry, at) => withoutInjection(entry, found[at] ?? []))
    return promptBlock(titles[target], shown, limitOf(target))
  }

  return {
    async read(target) {
      return stateOf(target, parseEntries((await readMemoryFile(pathOf(target))).text))
    },
    async add(target, content, signal) {
      const entry = await checkedEntry(content)
      return change(target, (entries) => (entries.includes(entry) ? entries : [...entries, entry]), signal)
    },
    async replace(target, oldText, content, signal) {
      const entry = await checkedEntry(content)
      const edit: Edit = (entries) => {
        const old = findEntry(entries, oldText, (found) => stateOf(target, found))
        if (old === entry) return entries
        return [...new Set(entries.map((other) => (other === old ? entry : other)))]
      }
      return change(target, edit, signal)
    },
    async remove(target, oldText, signal) {
      const edit: Edit = (entries) => {
        const old = findEntry(entries, oldText, (found) => stateOf(target, found))
        return entries.filter((other) => other !== old)
      }
      return change(target, edit, signal)
    },
    block,
  }
}

async function checkedEntry(content: string): Promise<string> {
  const entry = content.toWellFormed().replaceAll('\r\n', '\n').trim()
  if (entry === '') throw new MemoryError('invalid', 'content is empty. To delete an entry use action remove.')
  if (!isOneEntry(entry)) {
    throw new MemoryError(
      'invalid',
      'content must not have a line that is only "§", which separates entries. Add each entry by itself.',
    )
  }
  const { scanText } = await import('../security/injection/scan.ts')
  const found = scanText(entry, 'memory')
  if (found.length > 0) {
    throw new MemoryError(
      'unsafe',
      `Refused: memory is part of every system prompt, and this text looks like an attack on it (${found.join(', ')}). Say it in other words if it is harmless.`,
    )
  }
  return entry
}

/** The one entry that has `oldText` in it. */
function findEntry(
  entries: readonly string[],
  oldText: string,
  stateOf: (entries: readonly string[]) => MemoryState,
): string {
  const wanted = oldText.replaceAll('\r\n', '\n').trim()
  if (wanted === '') throw new MemoryError('invalid', 'old_text is empty. Give a part of the entry that is meant.')
  const matches = entries.filter((entry) => entry.includes(wanted))
  const [match] = matches.includes(wanted) ? [wanted] : matches
  if (match === undefined) {
    throw new MemoryError('not-found', `No entry has the text "${wanted}".`, { state: stateOf(entries) })
  }
  if (matches.length > 1 && match !== wanted) {
    throw new MemoryError(
      'ambiguous',
      `${matches.length} entries have the text "${wanted}". Give more of the one meant.`,
      { matches },
    )
  }
  return match
}

function overLimit(wanted: MemoryState, current: MemoryState): MemoryError {
  return new MemoryError(
    'over-limit',
    `That would make ${wanted.usedChars} of ${wanted.limitChars} characters. Shorten or remove entries first, then try again.`,
    { state: current },
  )
}

/** An entry that came into the file some other way than by `add` is checked before it reaches the prompt. */
function withoutInjection(entry: string, found: readonly string[]): string {
  return found.length === 0
    ? entry
    : `[BLOCKED: an entry of this file was left out, it looks like an attack (${found.join(', ')})]`
}

interface MemoryFileText {
  readonly text: string
  readonly version: string | undefined
}

async function readMemoryFile(path: string): Promise<MemoryFileText> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat({ bigint: true })
    if (!stats.isFile() || stats.size > maxFileBytes) {
      throw new MemoryError(
        'unusable',
        `${path} is not a file of at most ${maxFileBytes} bytes. Move it away or shorten it.`,
      )
    }
    return { text: await file.readFile('utf8'), version: versionText(stats) }
  } catch (error) {
    if (isMissing(error)) return { text: '', version: undefined }
    if (error instanceof Error && 'code' in error && !(error instanceof MemoryError)) {
      throw new MemoryError('unusable', `${path} cannot be read (${String(error.code)}).`)
    }
    throw error
  }
}

async function versionOnDisk(path: string): Promise<string | undefined> {
  try {
    return versionText(await stat(path, { bigint: true }))
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function versionText(stats: { readonly ino: bigint; readonly size: bigint; readonly mtimeNs: bigint }): string {
  return `${stats.ino}:${stats.size}:${stats.mtimeNs}`
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
