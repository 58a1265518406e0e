import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isCredentialFile } from '../credential-files.ts'
import { createFileGuard, type FileGuard } from '../file-safety-guard.ts'
import { inHermesHome, inSystem, inUserHome } from '../file-safety-lists.ts'
import { realTarget } from '../file-safety-resolve.ts'
import { type Field, processIds, temporary, unknown } from './fields.ts'
import { isBlockDevice } from './rules/disks.ts'
import type { Surroundings } from './shell-values.ts'

/** A file that a command line names, and where relative paths may start. */
export interface NamedFile {
  readonly field: Field
  readonly directories: readonly string[]
}

/** Files that everybody may write. */
const harmless =
  /^\/dev\/(?:null|zero|full|random|urandom|tty|ptmx|std(?:in|out|err)|fd\/\d+|pts\/\d+)$|^\/proc\/(?:self|\d+)\/fd\/\d+$/
/** Folders of programs and libraries, and the root of everything. */
const systemFolder = /^\/(?:(?:usr|bin|sbin|lib|lib32|lib64)(?:\/.*)?)?$/
/** What is no secret in a folder of keys. */
const publicKeys = /\.pub$|\/(?:known_hosts[^/]*|config|authorized_keys|environment)$/

/** The kinds of danger in writing and reading some files. */
export async function fileDangers(
  writes: readonly NamedFile[],
  reads: readonly NamedFile[],
  { findsHidden, ...surroundings }: Surroundings & { readonly findsHidden: boolean },
): Promise<string[]> {
  // Each path once: asking the disk about it takes time.
  const written = [...new Set(writes.flatMap((file) => candidates(file, true)))]
  const guesses = new Map(
    reads.flatMap((file) => candidates(file, findsHidden).map((path) => [path, file.field.isGlob] as const)),
  )
  const readPaths = [...guesses.keys()].filter((path) => !publicKeys.test(path))
  const dangers = written.flatMap((path) => {
    if (isBlockDevice(path)) return ['write to block device']
    if (systemFolder.test(path)) return ['overwrite system or protected file']
    return /^\/dev\/(?:tcp|udp)\//.test(path) ? ['shell for the network'] : []
  })
  if (written.length + readPaths.length === 0) return dangers
  const guard = await createFileGuard({ hermesHome: surroundings.hermesHome, userHome: surroundings.userHome })
  if (await some(written, async (path) => (await protection(path, guard)) !== undefined)) {
    dangers.push('overwrite system or protected file')
  }
  if (await some(readPaths, async (path) => (await protection(path, guard)) === 'all'))
    dangers.push('read of credentials')
  else if (await some(readPaths, (path) => holdsCredentials(path, guesses.get(path) === true)))
    dangers.push('read of credentials')
  return dangers
}

/** A project's file with credentials. Of what a pattern may stand for, only what is there counts. */
async function holdsCredentials(path: string, isGuess: boolean): Promise<boolean> {
  if (isGuess && !existsSync(path)) return false
  return isCredentialFile(path, await realTarget(path).catch(() => path))
}

/** The absolute paths that a field may mean; none where nobody can say. `dotNames`: `*` means `.ssh` too. */
function candidates({ field, directories }: NamedFile, dotNames: boolean): string[] {
  const { text } = field
  if (text === '' || text === '-' || text.startsWith(unknown) || text.includes(temporary)) return []
  // In a known folder, an unknown name is as good as any.
  const named = text.replaceAll(unknown, 'x').replaceAll(processIds, '1')
  return directories
    .map((folder) => resolve(folder, named).replace(/^\/proc\/(?:self|\d+)\/(?:root|cwd(?=\/))/, '') || '/')
    .filter((path) => !harmless.test(path))
    .flatMap((path) => (field.isGlob ? withoutPatterns(path, dotNames) : [path]))
}

const protectedNames = [
  ...new Set(
    [inSystem, inUserHome, inHermesHome]
      .flatMap((list) => [...list.all, ...list.write].flatMap((entry) => entry.replaceAll('*', '').split('/')))
      .concat('.hermes'),
  ),
]

/** `/e*c/hosts` may be `/etc/hosts`: each pattern stands for the protected names that it matches. */
function withoutPatterns(path: string, dotNames: boolean): string[] {
  let paths = ['']
  for (const part of path.split('/').slice(1)) {
    const isMeant = (name: string) => matches(part, name) && (dotNames || !name.startsWith('.') || part.startsWith('.'))
    const names = /[*?[]/.test(part) ? [part, ...protectedNames.filter(isMeant)] : [part]
    paths = paths.flatMap((before) => names.map((name) => `${before}/${name}`)).slice(0, 100)
  }
  return paths
}

function matches(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
    .replaceAll('[!', '[^')
  try {
    return new RegExp(`^(?:${source})$`, 'i').test(name)
  } catch {
    // A bracket that is never closed is a plain character.
    return pattern === name
  }
}

async function protection(path: string, guard: FileGuard) {
  return guard.protection(path) ?? guard.protection(await realTarget(path).catch(() => path))
}

async function some<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await test(item)) return true
  return false
}
