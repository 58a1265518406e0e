import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { supportFolders } from './skill-limits.ts'

/** Relative paths of a skill's supporting files by their folder; `other`: beside SKILL.md or in further folders. */
export type LinkedFiles = Readonly<Partial<Record<(typeof supportFolders)[number] | 'other', readonly string[]>>>

/** Most files that are listed, and how deep. */
const maxFiles = 200
const maxDepth = 4

const passed: ReadonlySet<string> = new Set(['node_modules', '__pycache__', 'SKILL.md', 'DESCRIPTION.md'])

/** The files that a skill brings along, or null where it has none. A folder with a skill of its own is not part of it. */
export async function linkedFiles(folder: string): Promise<LinkedFiles | null> {
  const paths = (await filesOf(folder, '', 0)).slice(0, maxFiles)
  if (paths.length === 0) return null
  const known: readonly string[] = supportFolders
  const grouped = Object.groupBy(paths, (path) => {
    const first = path.split('/')[0] ?? ''
    // A path is in a supporting folder exactly when its first part is one of them.
    return path.includes('/') && known.includes(first) ? (first as (typeof supportFolders)[number]) : 'other'
  })
  return grouped
}

async function filesOf(folder: string, prefix: string, depth: number): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
  if (depth > 0 && !prefix.startsWith('templates/') && entries.some(({ name }) => name === 'SKILL.md')) return []
  const paths: string[] = []
  for (const entry of entries) {
    if (entry.name.startsWith('.') || passed.has(entry.name) || paths.length > maxFiles) continue
    const path = prefix + entry.name
    if (entry.isFile()) paths.push(path)
    else if (entry.isDirectory() && depth < maxDepth) {
      paths.push(...(await filesOf(join(folder, entry.name), `${path}/`, depth + 1)))
    }
  }
  return paths
}
