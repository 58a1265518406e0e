import { join } from 'node:path'
import { homeSkillsFolder } from '../skill-scope.ts'
import { contentHash, folderContentHash } from '../store/folder-hash.ts'
import { withSkillsLock } from '../store/hub-folder.ts'
import { readLockFile, setLockEntry } from '../store/lock-file.ts'
import type { LockEntry } from '../store/lock-file.ts'
import { recoverSwaps } from '../store/swap-folder.ts'
import type { SkillBundle } from './bundle.ts'
import { fetchSkill } from './fetch-skill.ts'
import { HubError } from './hub-error.ts'
import type { Hub } from './hub.ts'
import { installBundle } from './install.ts'
import type { InstallOptions } from './install.ts'
import { dropLostEntries } from './lost-entries.ts'

/** How an installed skill stands to its source. */
export interface CheckResult {
  readonly name: string
  readonly identifier: string
  readonly status: 'up-to-date' | 'update-available' | 'unavailable'
  /** Whether its files were changed here. */
  readonly isModified: boolean
  /** Why it is unavailable. */
  readonly reason?: string
}

interface Checked extends CheckResult {
  readonly entry: LockEntry
  readonly bundle?: SkillBundle
}

/** Compares installed skills, or one, with what their sources have now. */
export async function checkSkills(hub: Hub, name: string | undefined, signal: AbortSignal): Promise<CheckResult[]> {
  const checked = await checkAll(hub, name, signal)
  return checked.map(({ name, identifier, status, isModified, reason }) => {
    return { name, identifier, status, isModified, ...(reason !== undefined && { reason }) }
  })
}

/** What an update did with one skill. */
export interface UpdateResult {
  readonly name: string
  readonly status: 'updated' | 'up-to-date' | 'unavailable' | 'refused'
  readonly reason?: string
}

/** Brings installed skills, or one, up to date; each goes through quarantine and guard again. One that fails does not keep the others. */
export async function updateSkills(
  hub: Hub,
  name: string | undefined,
  options: Omit<InstallOptions, 'category'>,
  signal: AbortSignal,
): Promise<UpdateResult[]> {
  const results: UpdateResult[] = []
  for (const { name: skill, status, reason, entry, bundle } of await checkAll(hub, name, signal)) {
    if (status !== 'update-available' || !bundle) {
      results.push({
        name: skill,
        status: status === 'unavailable' ? 'unavailable' : 'up-to-date',
        ...(reason !== undefined && { reason }),
      })
      continue
    }
    try {
      await installBundle(
        hub,
        { bundle: { ...bundle, name: skill }, place: entry.install_path, known: entry, options },
        signal,
      )
      results.push({ name: skill, status: 'updated' })
    } catch (error) {
      if (!(error instanceof HubError)) throw error
      results.push({ name: skill, status: 'refused', reason: error.message })
    }
  }
  return results
}

async function checkAll(hub: Hub, name: string | undefined, signal: AbortSignal): Promise<Checked[]> {
  await withSkillsLock(hub.home, signal, async () => {
    await recoverSwaps(hub.home)
    await dropLostEntries(hub)
  })
  const installed = Object.entries(await readLockFile(hub.home))
  const wanted = name === undefined ? installed : installed.filter(([skill]) => skill === name)
  if (name !== undefined && wanted.length === 0) {
    throw new HubError(
      'not-found',
      `No skill "${name}" is installed from a source. See: hermes skills list --source hub`,
    )
  }
  const results: Checked[] = []
  for (const [skill, entry] of wanted) results.push(await checkOne(hub, skill, entry, signal))
  return results
}

async function checkOne(hub: Hub, name: string, entry: LockEntry, signal: AbortSignal): Promise<Checked> {
  const { identifier } = entry
  const mine = await folderContentHash(join(homeSkillsFolder(hub.home), entry.install_path))
  try {
    const bundle = await fetchSkill(hub, identifier, signal)
    const theirs = contentHash(bundle.files)
    if (mine === theirs && theirs !== entry.content_hash) {
      // An update was interrupted after its files were in place.
      await withSkillsLock(hub.home, signal, () => setLockEntry(hub.home, name, { ...entry, content_hash: theirs }))
      return { name, identifier, status: 'up-to-date', isModified: false, entry }
    }
    const isModified = mine !== entry.content_hash
    return {
      name,
      identifier,
      status: theirs === entry.content_hash ? 'up-to-date' : 'update-available',
      isModified,
      entry,
      bundle,
    }
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    return {
      name,
      identifier,
      status: 'unavailable',
      isModified: mine !== entry.content_hash,
      reason: error.message,
      entry,
    }
  }
}
