import { createHash } from 'node:crypto'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A folder's files as far as a hash covers them. Larger folders are no skills. */
const maxFiles = 2_000

/** Paths of all files of a folder, relative with `/`, in the order that upstream hashes them: by folder, then by name. */
export async function filesIn(folder: string): Promise<string[]> {
  const paths: string[][] = []
  async function visit(parts: readonly string[]): Promise<void> {
    for (const name of await readdir(join(folder, ...parts))) {
      if (paths.length > maxFiles) throw new Error(`${folder} has more than ${maxFiles} files`)
      const path = [...parts, name]
      const stats = await statIfThere(join(folder, ...path))
      if (stats?.isDirectory()) await visit(path)
      else if (stats?.isFile()) paths.push(path)
    }
  }
  await visit([])
  return paths.sort(byParts).map((parts) => parts.join('/'))
}

/** The md5 that `.bundled_manifest` holds: of every file's path, then its bytes. */
export async function bundledHash(folder: string): Promise<string> {
  const hash = createHash('md5')
  for (const path of await filesIn(folder)) {
    hash.update(path, 'utf8')
    hash.update(await readFile(join(folder, path)))
  }
  return hash.digest('hex')
}

/** The hash that tells one state of an installed skill from another, from files by path. */
export function contentHash(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha256')
  for (const path of [...files.keys()].sort()) {
    const bytes = files.get(path) ?? new Uint8Array()
    hash.update(`${Buffer.byteLength(path)}:${path}${bytes.length}:`)
    hash.update(bytes)
  }
  return `sha256:${hash.digest('hex')}`
}

/** The same of a folder. */
export async function folderContentHash(folder: string): Promise<string> {
  const files = new Map<string, Uint8Array>()
  for (const path of await filesIn(folder)) files.set(path, await readFile(join(folder, path)))
  return contentHash(files)
}

/** Part by part, each by code points, as Python sorts paths. */
function byParts(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = Buffer.compare(Buffer.from(a[i] ?? ''), Buffer.from(b[i] ?? ''))
    if (order !== 0) return order
  }
  return a.length - b.length
}

async function statIfThere(path: string) {
  try {
    return await stat(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ELOOP'))
      return undefined
    throw error
  }
}
