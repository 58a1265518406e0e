import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { withFileLock } from '@hermes/core/storage/file-lock.ts'
import { z } from 'zod'

/** Without 0, O, 1 and I, which are taken for each other. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const codeLength = 8

/** A code's life, seconds. */
export const codeSeconds = 3600

/** The files of pairings, in upstream's form: changed under a lock, 0600. */
export interface PairingFiles {
  readonly pathOf: (name: string) => string
  /** `empty` where it is missing or not in its form; then it is put aside, as `.damaged`, before it is written. */
  readonly read: <T>(name: string, schema: z.ZodType<T>, empty: T) => Promise<T>
  readonly write: (name: string, value: unknown) => Promise<void>
  readonly locked: <T>(work: () => Promise<T>) => Promise<T>
  /** Platforms that have a file whose name ends so. */
  readonly platformsWith: (suffix: string) => Promise<readonly string[]>
}

export function openPairingFiles(home: Home): PairingFiles {
  const folder = pairingFolder(home)
  const pathOf = (name: string) => join(folder, name)
  /** Files that nobody could read when they were looked at last. */
  const damaged = new Set<string>()
  return {
    pathOf,
    async read(name, schema, empty) {
      damaged.delete(name)
      try {
        return schema.parse(JSON.parse(await readFile(pathOf(name), 'utf8')))
      } catch (error) {
        if (isMissing(error)) return empty
        if (!(error instanceof SyntaxError || error instanceof z.ZodError)) throw error
        damaged.add(name)
        return empty
      }
    },
    async write(name, value) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // Somebody's slip of the pen is not the end of all that was in it.
      if (damaged.delete(name)) await rename(pathOf(name), `${pathOf(name)}.damaged`)
      await writeFileAtomic(pathOf(name), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
    },
    async locked(work) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return withFileLock(pathOf('_pairing'), work)
    },
    async platformsWith(suffix) {
      const names = await readdir(folder).catch((error: unknown) => {
        if (isMissing(error)) return []
        throw error
      })
      return names.flatMap((name) => (name.endsWith(suffix) ? [name.slice(0, -suffix.length)] : []))
    },
  }
}

/** One that none of these is. */
export function newCode(taken: Readonly<Record<string, unknown>>): string {
  for (;;) {
    const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('')
    if (!Object.hasOwn(taken, code)) return code
  }
}

/** The code that a message consists of, alone or after `/start` or `/pair`, as a link of Telegram writes it. */
export function codeIn(text: string): string | undefined {
  const [, code] = /^(?:\/(?:start|pair)(?:@\S+)?\s+)?`?([A-HJ-NP-Z2-9]{8})`?$/i.exec(text.trim()) ?? []
  return code?.toUpperCase()
}

/** Upstream's older folder goes on being used where it is there. */
function pairingFolder(home: Home): string {
  const older = home.path('pairing')
  return existsSync(older) ? older : home.path('platforms', 'pairing')
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
