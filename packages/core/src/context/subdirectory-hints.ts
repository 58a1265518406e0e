import { realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { SessionScope } from '../agent/session-scope.ts'
import { isWithin } from '../security/file-safety-guard.ts'
import { findProjectRoot, foldersUpward } from './context-files/project-root.ts'
import { readContextFile } from './context-files/read-context-file.ts'
import type { ContextFileRules } from './context-files/read-context-file.ts'
import { shorten } from './context-files/shorten.ts'
import { hintText } from './subdirectory-hints-text.ts'

/** Notes for agents that a folder can have, the first that is there. */
const names = ['AGENTS.md', 'agents.md', 'CLAUDE.md', 'claude.md', '.cursorrules']

const maxChars = 8_000

/** Folders above the one that was touched that are looked into. */
const maxAncestors = 5

/** Folders of one call. */
const maxFolders = 10

/** Folders of a session; there are no more hints beyond that. */
const maxKnown = 5_000

/** Folders that hold what others wrote. */
const foreign: ReadonlySet<string> = new Set(['node_modules', '.git', '.venv', 'site-packages'])

/** What a call came upon. */
export interface SubdirectoryHints {
  /** To be put after the call's result; empty when there is nothing new. */
  readonly text: string
  /** What was left out and why, for people. */
  readonly problems: readonly string[]
}

/**
 * The notes for agents in folders that a call's arguments name and that the session has not met yet, up to the top of
 * its project. Each folder is looked at once a session.
 */
export async function subdirectoryHints(
  args: unknown,
  scope: Pick<SessionScope, 'cwd' | 'workspace' | 'knownFolders'>,
  rules: ContextFileRules,
): Promise<SubdirectoryHints> {
  const none = { text: '', problems: [] }
  const { knownFolders } = scope
  const paths = pathsIn(args)
  if (paths.length === 0 || knownFolders.size >= maxKnown) return none
  const found = await Promise.all(paths.map((path) => folderAt(resolve(scope.cwd(), path))))
  const touched = found.filter((folder) => folder !== undefined && !knownFolders.has(folder)) as string[]
  if (touched.length === 0) return none
  const { folder, gitRoot } = await findProjectRoot(scope.workspace())
  const root = gitRoot ?? folder
  // Its notes are in the system prompt.
  knownFolders.add(folder)
  const places = newFolders(touched, root, knownFolders)
  const texts: string[] = []
  const problems: string[] = []
  for (const place of places) {
    const notes = await notesOf(place, root, rules)
    if (notes?.type === 'problem') problems.push(notes.problem)
    if (notes?.type === 'text') texts.push(hintText(relative(folder, notes.path), notes.text))
  }
  return { text: texts.join(''), problems }
}

/** Marks the folders as known before anything is read, so that calls that run side by side do not tell the same twice. */
function newFolders(touched: readonly string[], root: string, knownFolders: Set<string>): readonly string[] {
  const found: string[] = []
  for (const start of touched) {
    if (!isWithin(start, root)) {
      // Outside of the project there is nothing to find, now and later.
      knownFolders.add(start)
      continue
    }
    for (const folder of foldersUpward(start, root).slice(0, maxAncestors + 1)) {
      const parts = relative(root, folder).split(sep)
      if (knownFolders.has(folder) || parts.some((part) => foreign.has(part))) continue
      if (found.length >= maxFolders || knownFolders.size >= maxKnown) return found
      knownFolders.add(folder)
      found.push(folder)
    }
  }
  return found
}

async function notesOf(folder: string, root: string, rules: ContextFileRules) {
  for (const name of names) {
    const path = join(folder, name)
    const outcome = await readContextFile({ path, root }, rules)
    if (outcome?.type === 'problem') return outcome
    if (outcome) return { type: 'text', path, text: shorten(outcome.text, { maxChars, name }) } as const
  }
  return undefined
}

/** The folder that a path is or lies in, links followed; undefined where there is none. */
async function folderAt(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path)
    return (await stat(real)).isDirectory() ? real : dirname(real)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

/** What in a call's arguments may be a path. */
function pathsIn(args: unknown): readonly string[] {
  if (typeof args !== 'object' || args === null) return []
  const { path, file_path: filePath, workdir, command } = args as Readonly<Record<string, unknown>>
  const named = [path, filePath, workdir].filter((value) => typeof value === 'string' && value !== '') as string[]
  return [...new Set([...named, ...(typeof command === 'string' ? pathsInCommand(command) : [])])].slice(0, maxFolders)
}

/** Words of a command that look like paths: no flags, no addresses. */
function pathsInCommand(command: string): readonly string[] {
  const words = command.slice(0, 4_000).split(/[\s;&|<>()"'`=]+/)
  return words.filter((word) => /[/.]/.test(word) && !word.startsWith('-') && !word.includes('://') && word !== '.')
}
