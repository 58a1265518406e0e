import { readFile, rename } from 'node:fs/promises'
import type { z } from 'zod'
import { writeFileAtomic } from '../../storage/atomic-write.ts'

/**
 * Reads a small JSON file of ours. A missing one is `empty`; one that is broken is put aside as `<name>.broken`, so that
 * it is neither lost nor in the way.
 */
export async function readJsonFile<T>(path: string, schema: z.ZodType<T>, empty: T): Promise<T> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return empty
    throw error
  }
  const parsed = schema.safeParse(parse(text))
  if (parsed.success) return parsed.data
  await rename(path, `${path}.broken`)
  return empty
}

/** Writes one in one step, for its owner's eyes. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
