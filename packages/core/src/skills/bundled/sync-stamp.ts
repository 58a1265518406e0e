import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Home } from '../../config/home.ts'
import { readJsonFile, writeJsonFile } from '../store/json-file.ts'
import { manifestPath } from '../store/manifest.ts'

const schema = z.object({ bundle: z.string(), manifest: z.string() })

/**
 * Whether the bundle and the manifest are as the last sync left them: then another one would do nothing, whatever the
 * user did to the skills meanwhile.
 */
export async function isInSync(home: Home, bundle: string): Promise<boolean> {
  const stamp = await readJsonFile(pathOf(home), schema, { bundle: '', manifest: '' })
  if (stamp.bundle === '') return false
  return stamp.manifest === (await fileStamp(manifestPath(home))) && stamp.bundle === (await folderStamp(bundle))
}

/** Remembers how they are now. */
export async function rememberSync(home: Home, bundle: string): Promise<void> {
  const [folder, manifest] = await Promise.all([folderStamp(bundle), fileStamp(manifestPath(home))])
  await writeJsonFile(pathOf(home), { bundle: folder, manifest })
}

function pathOf(home: Home): string {
  return home.path('cache', 'bundled-skills.json')
}

/** Names, sizes and times of all files of a folder, as one hash. */
async function folderStamp(root: string): Promise<string> {
  const lines: string[] = [root]
  async function visit(folder: string): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true })
    await Promise.all(
      entries.map(async (entry) => {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) await visit(path)
        else lines.push(`${path} ${await fileStamp(path)}`)
      }),
    )
  }
  await visit(root)
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex')
}

async function fileStamp(path: string): Promise<string> {
  try {
    const { size, mtimeMs, ino } = await stat(path)
    return `${size}:${mtimeMs}:${ino}`
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 'missing'
    throw error
  }
}
