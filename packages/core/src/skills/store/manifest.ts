import { readFile } from 'node:fs/promises'
import type { Home } from '../../config/home.ts'
import { writeFileAtomic } from '../../storage/atomic-write.ts'

export function manifestPath(home: Home): string {
  return home.path('skills', '.bundled_manifest')
}

/**
 * `skills/.bundled_manifest`: the bundled skills that were once copied here, each with the md5 of what was copied; `''`
 * in files of older versions, which have names alone.
 */
export async function readManifest(home: Home): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(manifestPath(home), 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return ''
    throw error
  })
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  return new Map(
    lines.flatMap((line) => {
      if (line === '') return []
      const colon = line.lastIndexOf(':')
      return [colon < 0 ? [line, ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]]
    }),
  )
}

/** Writes it: one `name:md5` a line, sorted. */
export async function writeManifest(home: Home, manifest: ReadonlyMap<string, string>): Promise<void> {
  const lines = [...manifest].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, md5]) => `${name}:${md5}\n`)
  await writeFileAtomic(manifestPath(home), lines.join(''), { mode: 0o600 })
}
