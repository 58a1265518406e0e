import { readFile } from 'node:fs/promises'
import { lazily } from '../storage/lazily.ts'
import { z } from 'zod'
import type { Home } from '../config/home.ts'
import { writeFileAtomic } from '../storage/atomic-write.ts'
import type { FileFacts } from './file-facts.ts'

/** One file's facts, valid while its time and size stay. */
export interface CachedFile {
  readonly modifiedMs: number
  readonly size: number
  readonly facts: FileFacts
}

const version = 1

const texts = lazily(() => z.array(z.string()))
const facts = lazily(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('skill'),
      title: z.string(),
      description: z.string(),
      platforms: texts(),
      tags: texts(),
      conditions: z.object({
        requiresToolsets: texts(),
        requiresTools: texts(),
        fallbackForToolsets: texts(),
        fallbackForTools: texts(),
      }),
    }),
    z.object({ kind: z.literal('category'), description: z.string() }),
  ]),
)
const schema = lazily(() =>
  z.object({
    version: z.literal(version),
    files: z.record(z.string(), z.object({ modifiedMs: z.number(), size: z.number(), facts: facts() })),
  }),
)

/** The facts kept last time; none where the file is missing, broken or of another version: it can always be made anew. */
export async function readCatalogueCache(home: Home): Promise<ReadonlyMap<string, CachedFile>> {
  try {
    const parsed = schema().safeParse(JSON.parse(await readFile(pathOf(home), 'utf8')))
    return new Map(Object.entries(parsed.data?.files ?? {}))
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return new Map()
    throw error
  }
}

/** Keeps the facts. A home that cannot be written works without. */
export async function writeCatalogueCache(home: Home, files: ReadonlyMap<string, CachedFile>): Promise<void> {
  try {
    await writeFileAtomic(pathOf(home), JSON.stringify({ version, files: Object.fromEntries(files) }), { mode: 0o600 })
  } catch (error) {
    if (
      !(
        error instanceof Error &&
        'code' in error &&
        ['EROFS', 'EACCES', 'ENOSPC', 'EDQUOT'].includes(String(error.code))
      )
    )
      throw error
  }
}

function pathOf(home: Home): string {
  return home.path('cache', 'skills.json')
}
