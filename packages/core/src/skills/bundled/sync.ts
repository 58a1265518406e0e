import { existsSync } from 'node:fs'
import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import { findFiles } from '../find-files.ts'
import { homeSkillsFolder } from '../skill-scope.ts'
import { bundledHash } from '../store/folder-hash.ts'
import { withSkillsLock } from '../store/hub-folder.ts'
import { readManifest, writeManifest } from '../store/manifest.ts'
import { copyFolder, placeFolder, recoverSwaps, stagingFolder } from '../store/swap-folder.ts'
import { bundledSkillsFolder } from './bundled-folder.ts'
import { readBundle } from './bundle.ts'
import type { BundledSkill } from './bundle.ts'
import { isInSync, rememberSync } from './sync-stamp.ts'

/** What a sync did, by the names of the skills. */
export interface SyncReport {
  readonly copied: readonly string[]
  readonly updated: readonly string[]
  /** Left alone, since their user changed them. */
  readonly kept: readonly string[]
  /** Left away, since their user removed them. */
  readonly removedByUser: readonly string[]
  /** No longer part of the bundle; their files stay. */
  readonly dropped: readonly string[]
  readonly unchanged: readonly string[]
  /** Nothing had changed since the last time, so nothing was looked at. */
  readonly wasInSync: boolean
}

export interface SyncOptions {
  readonly home: Home
  readonly environment: Environment
  readonly signal: AbortSignal
  /** Look at everything, even if the bundle and the manifest are as they were. */
  readonly force?: boolean
}

/**
 * Brings the bundled skills into a home: new ones are copied, ones that nobody changed are updated. What its user
 * changed or removed stays as it is. Costs a few `stat` calls when nothing has changed. Without a bundle nothing is done.
 */
export async function syncBundledSkills(options: SyncOptions): Promise<SyncReport> {
  const { home, environment, signal, force } = options
  const folder = bundledSkillsFolder(environment)
  if (folder === undefined) return { ...empty, wasInSync: true }
  if (!force && (await isInSync(home, folder))) return { ...empty, wasInSync: true }
  return withSkillsLock(home, signal, async () => {
    await recoverSwaps(home)
    const report = await sync(home, folder, signal)
    await rememberSync(home, folder)
    return report
  })
}

const empty = { copied: [], updated: [], kept: [], removedByUser: [], dropped: [], unchanged: [] } as const

type Outcome = Exclude<keyof SyncReport, 'wasInSync' | 'dropped'>

async function sync(home: Home, folder: string, signal: AbortSignal): Promise<SyncReport> {
  const [bundle, manifest] = await Promise.all([readBundle(folder), readManifest(home)])
  const present = await presentSkills(home)
  const next = new Map<string, string>()
  const outcomes: [Outcome, string][] = []
  for (const skill of bundle.skills) {
    signal.throwIfAborted()
    const { outcome, hash } = await syncSkill(home, skill, manifest.get(skill.name), present.get(skill.name))
    outcomes.push([outcome, skill.name])
    next.set(skill.name, hash)
    // Written at once: after a crash nothing that was copied looks like a change of its user.
    if (outcome === 'copied' || outcome === 'updated') await writeManifest(home, new Map([...manifest, ...next]))
  }
  await copyDescriptions(home, bundle.descriptions)
  await writeManifest(home, next)
  const named = (wanted: Outcome) => outcomes.filter(([outcome]) => outcome === wanted).map(([, name]) => name)
  return {
    copied: named('copied'),
    updated: named('updated'),
    kept: named('kept'),
    removedByUser: named('removedByUser'),
    unchanged: named('unchanged'),
    dropped: [...manifest.keys()].filter((name) => !next.has(name)).sort(),
    wasInSync: false,
  }
}

/** `known`: the manifest's hash; `''` in old manifests, undefined for a skill that is new. */
async function syncSkill(
  home: Home,
  skill: BundledSkill,
  known: string | undefined,
  place: string | undefined,
): Promise<{ outcome: Outcome; hash: string }> {
  const hash = await bundledHash(skill.folder)
  if (place === undefined) {
    if (known !== undefined) return { outcome: 'removedByUser', hash: known || hash }
    await install(home, skill, join(homeSkillsFolder(home), skill.place))
    return { outcome: 'copied', hash }
  }
  const mine = await bundledHash(place)
  if (mine === hash) return { outcome: 'unchanged', hash }
  // One that was there before, or of which no hash is known, counts as its user's.
  if (!known || mine !== known) return { outcome: 'kept', hash: known || hash }
  await install(home, skill, place)
  return { outcome: 'updated', hash }
}

async function install(home: Home, skill: BundledSkill, target: string): Promise<void> {
  const staged = await stagingFolder(home)
  await copyFolder(skill.folder, staged)
  await placeFolder(home, staged, target)
}

/** The folders of the home's skills by name, wherever their user has moved them. */
async function presentSkills(home: Home): Promise<ReadonlyMap<string, string>> {
  const root = homeSkillsFolder(home)
  const found = new Map<string, string>()
  for (const { kind, folders } of await findFiles(root)) {
    const name = folders.at(-1)
    if (kind === 'skill' && name !== undefined && !found.has(name)) found.set(name, join(root, ...folders))
  }
  return found
}

async function copyDescriptions(home: Home, descriptions: readonly { path: string; place: string }[]): Promise<void> {
  for (const { path, place } of descriptions) {
    const folder = join(homeSkillsFolder(home), place)
    const target = join(folder, 'DESCRIPTION.md')
    // A category that its user emptied is not brought back.
    if (existsSync(target) || !existsSync(folder)) continue
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await copyFile(path, target)
  }
}
