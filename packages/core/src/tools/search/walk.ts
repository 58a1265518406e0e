import { readdir } from 'node:fs/promises'
import type { Dirent } from 'node:fs'
import { join } from 'node:path'

/** Folders that are passed over below the one searched, beside those whose name begins with a dot. */
export const skippedFolders: readonly string[] = ['node_modules', '__pycache__']

/** Folders of the system's own that have no end of files which are none. */
const systemFolders: ReadonlySet<string> = new Set(['/proc', '/sys', '/dev'])

export interface WalkOptions {
  /** Real path of the folder. */
  readonly root: string
  /** Folders, by real path, that are not entered. */
  readonly isClosed: (path: string) => boolean
  readonly signal: AbortSignal
}

/**
 * The regular files below a folder, by path relative to it with `/` between the parts, in the order of their names.
 * Links are not followed; folders that cannot be listed are passed over.
 */
export async function* walk({ root, isClosed, signal }: WalkOptions): AsyncGenerator<string> {
  /** Folders still to be listed, the next one last. */
  const open = ['']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    signal.throwIfAborted()
    const entries = await entriesOf(join(root, folder))
    const folders: string[] = []
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isFile()) yield path
      else if (entry.isDirectory() && isEntered(entry.name, join(root, path)) && !isClosed(join(root, path)))
        folders.push(path)
    }
    open.push(...folders.toReversed())
  }
}

function isEntered(name: string, path: string): boolean {
  return !name.startsWith('.') && !skippedFolders.includes(name) && !systemFolders.has(path)
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}
