import type { BigIntStats } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, sep } from 'node:path'
import {
  inHermesHome,
  inSystem,
  inUserHome,
  keyFolders,
  notProtected,
  runsByItself,
  secretProcFile,
} from './file-safety-lists.ts'
import type { ProtectedList, Protection } from './file-safety-lists.ts'

/** Knows what is protected, as the folders are at the moment it is made. */
export interface FileGuard {
  /** How a path is protected, by its name alone; give the real path, links followed. */
  protection(path: string): Protection | undefined
  /** How a file is protected that has several names (hard links), by what it is. */
  protectionOfLinked(stats: BigIntStats): Promise<Protection | undefined>
}

/** A folder, in the form that names are compared in, and what is protected in it. */
interface Place {
  readonly folder: string
  readonly list: ProtectedList
}

interface ProtectedEntry {
  readonly path: string
  readonly protection: Protection
}

/** Profiles looked at. */
const maxProfiles = 500

/** Homes of other people on this machine. */
const otherHome = /^(?:home|users)\/[^/]+\/|^(?:var\/)?root\//

export interface FileGuardOptions {
  readonly hermesHome: string
  readonly userHome: string
  /** Protected files, at most, with which a file that has several names is compared. Default 5,000. */
  readonly maxIdentities?: number
}

/** Looks up where the protected files really are: links from or to them do not help. */
export async function createFileGuard({ maxIdentities = 5_000, ...homes }: FileGuardOptions): Promise<FileGuard> {
  const places = await protectedPlaces(homes)
  const real = (await Promise.all(places.map(({ folder, list }) => entriesIn(folder, list)))).flat()
  const compared = places.map(({ folder, list }) => ({ folder: comparable(folder), list }))
  let identities: Promise<Map<string, Protection>> | undefined
  const entries = real.map(({ path, protection }) => ({ path: comparable(path), protection }))
  return {
    protection: (path) => protectionOf(comparable(path), compared, entries),
    protectionOfLinked: async (stats) => {
      identities ??= identitiesOf(real, maxIdentities)
      return (await identities).get(identityOf(stats))
    },
  }
}

/**
 * The form in which paths are compared: no file system that takes two names for one (by case, by Unicode form, by
 * characters it leaves out) makes them differ here.
 */
export function comparable(path: string): string {
  const slashes = sep === '/' ? path : path.replaceAll(sep, '/')
  const plain = /^[\x20-\x7E]*$/.test(slashes)
    ? slashes
    : slashes.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}|\p{Cc}/gu, '')
  return plain.toLowerCase()
}

/** Whether a path is a folder or anything in it; both absolute, links followed. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

async function protectedPlaces({ hermesHome, userHome }: FileGuardOptions): Promise<Place[]> {
  const users = [...new Set([userHome, homedir()])]
  // A profile's home is `<root>/profiles/<name>`: the root and the other profiles have secrets of their own.
  const given = [hermesHome, ...users.map((user) => join(user, '.hermes'))]
  const roots = given.filter((home) => basename(dirname(home)) === 'profiles').map((home) => dirname(dirname(home)))
  const homes = [...new Set([...given, ...roots])]
  const profiles = (await Promise.all(homes.map(profilesOf))).flat()
  const places = [
    ...[...homes, ...profiles].map((folder) => ({ folder, list: inHermesHome })),
    ...users.map((folder) => ({ folder, list: inUserHome })),
  ]
  const resolved = await Promise.all(places.map(async ({ folder, list }) => ({ folder: await realOr(folder), list })))
  return [...places, ...resolved.filter(({ folder }, index) => folder !== places[index]?.folder)]
}

async function profilesOf(home: string): Promise<string[]> {
  const names = await namesIn(join(home, 'profiles'))
  return names.slice(0, maxProfiles).map((name) => join(home, 'profiles', name))
}

/** Where the list's entries that exist really are. */
async function entriesIn(folder: string, list: ProtectedList): Promise<ProtectedEntry[]> {
  const names = await namesIn(folder)
  if (names.length === 0) return []
  const found = (protection: Protection) =>
    list[protection].flatMap((entry) =>
      existing(entry, names).map(async (name) => {
        const path = join(folder, name)
        return { path: await realOr(path), protection }
      }),
    )
  return Promise.all([...found('all'), ...found('write')])
}

async function systemEntries(): Promise<ProtectedEntry[]> {
  const inEtc = inSystem.all.filter((entry) => entry.startsWith('etc/')).map((entry) => entry.slice('etc/'.length))
  return entriesIn('/etc', { all: inEtc, write: [] })
}

/** The names in a folder that an entry of a list may mean, as they are spelled there. */
function existing(entry: string, names: readonly string[]): string[] {
  const [first = '', ...rest] = entry.split('/')
  const [start, isStart] = first.endsWith('*') ? [first.slice(0, -1), true] : [first, false]
  const meant = names.filter((name) => (isStart ? comparable(name).startsWith(start) : comparable(name) === start))
  return meant.map((name) => [name, ...rest].join('/'))
}

function protectionOf(
  path: string,
  places: readonly Place[],
  entries: readonly ProtectedEntry[],
): Protection | undefined {
  const found = new Set<Protection | undefined>()
  for (const { folder, list } of places) {
    found.add(protectionInside(below(path, folder), list))
    if (list === inHermesHome) found.add(protectionInside(below(path, folder)?.replace(/^profiles\/[^/]+\//, ''), list))
  }
  for (const entry of entries) if (below(path, entry.path) !== undefined) found.add(entry.protection)
  const fromRoot = path.replace(/^(?:[a-z]:)?\//, '')
  if (otherHome.test(fromRoot)) found.add(protectionInside(fromRoot.replace(otherHome, ''), inUserHome))
  if (
    path.split('/').some((name) => keyFolders.has(name)) ||
    secretProcFile.test(fromRoot) ||
    fromRoot.endsWith('/trace_pipe')
  )
    found.add('all')
  if (runsByItself.test(path)) found.add('write')
  if (!notProtected.some((entry) => isMeant(fromRoot, entry))) found.add(protectionInside(fromRoot, inSystem))
  return found.has('all') ? 'all' : found.has('write') ? 'write' : undefined
}

/** The part of a path below a folder; empty for the folder itself, undefined outside it. */
function below(path: string, folder: string): string | undefined {
  if (path === folder) return ''
  const start = folder.endsWith('/') ? folder : `${folder}/`
  return path.startsWith(start) ? path.slice(start.length) : undefined
}

function protectionInside(path: string | undefined, list: ProtectedList): Protection | undefined {
  if (path === undefined || path === '') return undefined
  if (list.all.some((entry) => isMeant(path, entry))) return 'all'
  return list.write.some((entry) => isMeant(path, entry)) ? 'write' : undefined
}

function isMeant(path: string, entry: string): boolean {
  return entry.endsWith('*') ? path.startsWith(entry.slice(0, -1)) : below(path, entry) !== undefined
}

/**
 * What the protected files are, whatever they are called: those nearest to the top first, so that a large folder (a
 * browser's, say) does not hide the others.
 */
async function identitiesOf(
  entries: readonly ProtectedEntry[],
  maxIdentities: number,
): Promise<Map<string, Protection>> {
  const identities = new Map<string, Protection>()
  let level = [...(await systemEntries()), ...entries]
  while (level.length > 0 && identities.size < maxIdentities) {
    const next: ProtectedEntry[] = []
    for (const { path, protection } of level.slice(0, maxIdentities)) {
      const stats = await statOr(path)
      if (stats?.isDirectory()) {
        const names = await namesIn(path)
        next.push(...names.slice(0, maxIdentities).map((name) => ({ path: join(path, name), protection })))
      } else if (stats) {
        const identity = identityOf(stats)
        identities.set(identity, identities.get(identity) === 'all' ? 'all' : protection)
      }
    }
    level = next
  }
  return identities
}

function identityOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`
}

/** Names in a folder; none where it is no folder or cannot be listed. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isSystemError(error)) return []
    throw error
  }
}

async function statOr(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true })
  } catch (error) {
    if (isSystemError(error)) return undefined
    throw error
  }
}

async function realOr(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isSystemError(error)) return path
    throw error
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error
}
