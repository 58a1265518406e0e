import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Home } from '../../config/home.ts'
import { writeFileAtomic } from '../../storage/atomic-write.ts'
import type { TextKind } from './pattern.ts'
import { scannerFingerprint } from './scanner-fingerprint.ts'

/** Batches of harmless texts that are remembered; the oldest are forgotten first. */
const maxKept = 400

/**
 * What `scanText` finds in each of some texts, in their order. A batch that was found harmless is remembered in the home
 * by its digest, so that what every session begins with is not looked through by every process, nor the scanner loaded.
 */
export async function scanKept(
  texts: readonly string[],
  kind: TextKind,
  home: Home,
  scan?: (text: string) => readonly string[],
): Promise<readonly (readonly string[])[]> {
  if (texts.length === 0) return []
  const digest = createHash('sha256')
    .update(JSON.stringify([kind, texts]))
    .digest('base64url')
  const kept = await readKept(home)
  if (kept.includes(digest)) return texts.map(() => [])
  const { scanText } = await import('./scan.ts')
  const found = texts.map((text) => (scan ? scan(text) : scanText(text, kind)))
  if (found.every((ids) => ids.length === 0)) await keep(digest, home)
  return found
}

async function readKept(home: Home): Promise<readonly string[]> {
  try {
    const kept: unknown = JSON.parse(await readFile(pathOf(home), 'utf8'))
    if (typeof kept !== 'object' || kept === null || !('fingerprint' in kept) || !('clean' in kept)) return []
    const isOurs = kept.fingerprint === scannerFingerprint && Array.isArray(kept.clean)
    return isOurs ? (kept.clean as unknown[]).filter((one) => typeof one === 'string') : []
  } catch (error) {
    if (error instanceof SyntaxError || isSystemError(error)) return []
    throw error
  }
}

/** A home that cannot be written works without. */
async function keep(digest: string, home: Home): Promise<void> {
  // Others may have written since.
  const clean = [...(await readKept(home)).slice(-(maxKept - 1)), digest]
  try {
    await writeFileAtomic(pathOf(home), JSON.stringify({ fingerprint: scannerFingerprint, clean }), { mode: 0o600 })
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error
}

function pathOf(home: Home): string {
  return home.path('cache', 'scanned.json')
}
