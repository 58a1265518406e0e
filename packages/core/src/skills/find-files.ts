import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { WatchPath } from '../storage/file-memo.ts'
import { supportFolders } from './skill-limits.ts'

/** A SKILL.md or DESCRIPTION.md as it is on disk. */
export interface FoundFile {
  readonly path: string
  /** The folders between the root and the file, e.g. `['data', 'csv-wrangling']`. */
  readonly folders: readonly string[]
  readonly kind: 'skill' | 'category'
  readonly modifiedMs: number
  readonly size: number
  /** Whether a link to a folder led there. */
  readonly isLinked: boolean
}

/** What keeps a folder of somebody else's making from taking for ever. */
const maxDepth = 6
const maxFolders = 5_000

const skipped: ReadonlySet<string> = new Set([...supportFolders, 'node_modules', '__pycache__'])

/**
 * Every SKILL.md and DESCRIPTION.md under a root: by path, what links lead to last. A missing root has none. `watch`: told
 * of every path that another look could find changed.
 */
export async function findFiles(root: string, watch: WatchPath = () => undefined): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  const seen = new Set<string>()
  let folders = 0

  async function visit(folder: string, names: readonly string[], isLinked: boolean): Promise<void> {
    watch(folder)
    const entries = await entriesOf(folder)
    const below: Promise<void>[] = []
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.name === 'SKILL.md' || entry.name === 'DESCRIPTION.md') {
        watch(path)
        const stats = await statIfThere(path)
        const kind = entry.name === 'SKILL.md' ? 'skill' : 'category'
        if (stats?.isFile())
          found.push({ path, folders: names, kind, modifiedMs: stats.mtimeMs, size: stats.size, isLinked })
      } else if (names.length < maxDepth && mayHoldSkills(entry.name, names)) {
        if (entry.isSymbolicLink()) watch(path)
        if (entry.isDirectory() || (entry.isSymbolicLink() && (await isNewFolder(path, seen)))) {
          folders += 1
          if (folders <= maxFolders) below.push(visit(path, [...names, entry.name], isLinked || entry.isSymbolicLink()))
        }
      }
    }
    await Promise.all(below)
  }

  await visit(root, [], false)
  return found.sort((a, b) => Number(a.isLinked) - Number(b.isLinked) || (a.path < b.path ? -1 : 1))
}

/** Hidden folders are ours or Git's; a skill's own supporting folders hold no skills, but at the top they are categories. */
function mayHoldSkills(name: string, parents: readonly string[]): boolean {
  return !name.startsWith('.') && (parents.length === 0 || !skipped.has(name))
}

async function entriesOf(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}

/** A link may lead back to where we are. */
async function isNewFolder(path: string, seen: Set<string>): Promise<boolean> {
  const stats = await statIfThere(path)
  if (!stats?.isDirectory()) return false
  const key = `${stats.dev}:${stats.ino}`
  if (seen.has(key)) return false
  seen.add(key)
  return true
}

async function statIfThere(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
