import { statSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { z } from 'zod'
import type { Clock } from '../agent/clock.ts'
import type { Home } from '../config/home.ts'
import { writePrivateFile } from '../config/private-file.ts'
import { withFileLock } from '../storage/file-lock.ts'
import { CredentialError } from './credential-error.ts'

const record = z.record(z.string(), z.unknown())
const absent = (value: unknown): unknown => value ?? undefined

const documentSchema = z.looseObject({
  version: z.unknown().default(1),
  providers: z.preprocess(absent, z.record(z.string(), record).default({})),
  active_provider: z.string().nullish(),
  credential_pool: z.preprocess(absent, z.record(z.string(), z.array(record)).default({})),
  suppressed_sources: z.preprocess(absent, z.record(z.string(), z.array(z.string())).optional()),
})

/** The content of `auth.json`. Keys that are not named here are kept as they are, at every level. */
export type AuthDocument = z.infer<typeof documentSchema>

export type JsonRecord = Record<string, unknown>

export interface AuthFileOptions {
  readonly home: Home
  readonly clock: Clock
  /** Told what people should know: that the file was damaged, and where it was put. */
  readonly onNotice: (message: string) => void
}

/** `auth.json` of one home: read by many, changed by one process at a time. */
export interface AuthFile {
  readonly path: string
  /** The content now. It must not be changed; it stays the same object for as long as the file stays the same. */
  read(): Promise<AuthDocument>
  /**
   * Changes the file under its lock: `change` gets the content as it is then, and alters it in place. Nothing is
   * written when it alters nothing. A damaged file is set aside first, never overwritten.
   */
  update(change: (draft: AuthDocument) => void, signal?: AbortSignal): Promise<AuthDocument>
}

export function createAuthFile({ home, clock, onNotice }: AuthFileOptions): AuthFile {
  const path = home.path('auth.json')
  let cached: { readonly fingerprint: string; readonly document: AuthDocument } | undefined
  let toldOf: string | undefined

  const load = async (): Promise<Loaded> => {
    const fingerprint = fingerprintOf(path)
    if (cached?.fingerprint === fingerprint) return { document: cached.document, damage: undefined }
    const text = await readIfThere(path)
    const loaded = text === undefined ? { document: emptyDocument(), damage: undefined } : parseAuthDocument(text)
    // A file that changed while it was read is read again by the next caller.
    if (loaded.damage === undefined && fingerprint === fingerprintOf(path)) {
      cached = { fingerprint, document: loaded.document }
    }
    if (loaded.damage !== undefined && toldOf !== fingerprint) {
      toldOf = fingerprint
      onNotice(`${path} cannot be read (${loaded.damage}); its credentials are not used.`)
    }
    return loaded
  }

  return {
    path,
    read: async () => (await load()).document,
    update: (change, signal) =>
      withFileLock(
        path,
        async () => {
          const { document, damage } = await load()
          const draft = structuredClone(document)
          change(draft)
          const text = toText(draft)
          if (text === toText(document)) return document
          if (damage !== undefined) {
            const aside = `${path}.damaged-${new Date(clock.now()).toISOString().replaceAll(':', '-')}`
            await rename(path, aside)
            onNotice(`${path} was damaged; it is kept as ${aside}, and a new one was begun.`)
          }
          draft['updated_at'] = new Date(clock.now()).toISOString().replace('Z', '+00:00')
          await writePrivateFile(path, toText(draft))
          cached = { fingerprint: fingerprintOf(path), document: draft }
          return draft
        },
        signal ? { signal } : {},
      ),
  }
}

interface Loaded {
  readonly document: AuthDocument
  /** Why the file could not be understood, if it could not. */
  readonly damage: string | undefined
}

/** Reads the text of an `auth.json`, the oldest form (`systems.nous_portal`) too. */
export function parseAuthDocument(text: string): Loaded {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // The parser's message quotes the text, which may be a secret.
    if (error instanceof SyntaxError) return { document: emptyDocument(), damage: 'it is no JSON' }
    throw error
  }
  const parsed = documentSchema.safeParse(value)
  if (!parsed.success) {
    const where = parsed.error.issues[0]?.path.join('.') || 'it'
    return { document: emptyDocument(), damage: `${where} has another form than expected` }
  }
  return { document: withOldNous(parsed.data), damage: undefined }
}

function withOldNous(document: AuthDocument): AuthDocument {
  const old = z.looseObject({ nous_portal: record }).safeParse(document['systems'])
  if (!old.success || document.providers['nous']) return document
  const { active_provider: active = 'nous' } = document
  return { ...document, providers: { ...document.providers, nous: old.data.nous_portal }, active_provider: active }
}

function emptyDocument(): AuthDocument {
  return { version: 1, providers: {}, credential_pool: {} }
}

function toText(document: AuthDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

/**
 * Changes with every replacement of the file, since each has another inode or time. Asked for at every request, so it
 * does not wait for a thread of its own.
 */
function fingerprintOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false })
  return found ? `${found.ino}-${found.size}-${found.mtimeNs}-${found.ctimeNs}` : 'none'
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR') {
      const message = `${path} is a folder and should be a file. Move it away; credentials are then kept in a new file.`
      throw new CredentialError('none', message, { cause: error })
    }
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
