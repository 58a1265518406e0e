import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { loadCatalogue } from '../catalogue.ts'
import { readFolder } from '../guard/read-folder.ts'
import { scanFiles } from '../guard/scan-files.ts'
import { safeParts } from '../inside.ts'
import { isCategoryName } from '../skill-name.ts'
import { homeSkillsFolder } from '../skill-scope.ts'
import { writeAudit } from '../store/audit-log.ts'
import type { AuditAction } from '../store/audit-log.ts'
import { contentHash, folderContentHash } from '../store/folder-hash.ts'
import { ensureHubFolder, withSkillsLock } from '../store/hub-folder.ts'
import { readLockFile, setLockEntry } from '../store/lock-file.ts'
import type { LockEntry } from '../store/lock-file.ts'
import { placeFolder, recoverSwaps } from '../store/swap-folder.ts'
import type { SkillBundle } from './bundle.ts'
import { fetchSkill } from './fetch-skill.ts'
import { HubError } from './hub-error.ts'
import type { Hub } from './hub.ts'
import { dropLostEntries } from './lost-entries.ts'
import { reviewBundle } from './review.ts'
import type { BundleReview } from './review.ts'

/** What is about to be installed, for the person who decides. */
export interface InstallPlan {
  readonly bundle: SkillBundle
  readonly review: BundleReview
  /** Where it goes, under the skills of the home: `category/name`. */
  readonly place: string
  /** Whether it takes the place of an installed one. */
  readonly isUpdate: boolean
}

export interface InstallOptions {
  readonly category?: string
  /** Install it although the guard's policy says no, and over changes that were made here. */
  readonly force?: boolean
  /** The last word. */
  readonly confirm: (plan: InstallPlan) => Promise<boolean>
}

/** What is installed now. */
export interface Installed {
  readonly name: string
  readonly place: string
  readonly folder: string
  readonly review: BundleReview
}

/**
 * Fetches a skill, puts it into quarantine, looks through it there, asks, and moves it to its place in one step with an
 * entry in `lock.json` and a line in `audit.log`. Throws `HubError`; nothing is installed then.
 */
export async function installSkill(
  hub: Hub,
  identifier: string,
  options: InstallOptions,
  signal: AbortSignal,
): Promise<Installed> {
  const { category } = options
  if (category !== undefined && !isCategoryName(category)) {
    throw new HubError('invalid', `"${category}" is no category: one word of small letters, digits and hyphens.`)
  }
  const bundle = await fetchSkill(hub, identifier, signal)
  const known = (await readLockFile(hub.home))[bundle.name]
  if (known && known.identifier !== bundle.identifier && !options.force) {
    throw new HubError(
      'exists',
      `"${bundle.name}" is installed already, from ${known.identifier}. --force replaces it.`,
    )
  }
  const place =
    known?.install_path && category === undefined
      ? known.install_path
      : [category, bundle.name].filter(Boolean).join('/')
  return installBundle(hub, { bundle, place, known, options }, signal)
}

export interface BundleInstall {
  readonly bundle: SkillBundle
  readonly place: string
  /** The entry of the installed skill of this name. */
  readonly known: LockEntry | undefined
  readonly options: InstallOptions
}

/** Most reasons in the words of a refusal. */
const mostReasons = 3

/** Why a skill is not installed, and how one sees the rest. */
function refusal({ name, trust, identifier }: SkillBundle, { report }: BundleReview): string {
  const verdict = `The guard calls "${name}" (${trust}) ${report.verdict}; it was not installed.`
  const reasons = report.findings
    .slice(0, mostReasons)
    .map(({ file, line, meaning }) => `  ${file}${line > 0 ? `:${line}` : ''}: ${meaning}`)
  return [verdict, ...reasons, `All of it: hermes skills inspect ${identifier}`].join('\n')
}

/** The part after the fetching; updates go the same way. */
export async function installBundle(
  hub: Hub,
  { bundle, place, known, options }: BundleInstall,
  signal: AbortSignal,
): Promise<Installed> {
  const { home } = hub
  const quarantine = await toQuarantine(hub, bundle)
  try {
    const review = await reviewBundle(bundle)
    await refuseChangedFiles(quarantine, bundle)
    await checkPlace(hub, bundle, place, known, options)
    if (review.decision !== 'allow' && !options.force) {
      await audit(hub, 'BLOCKED', bundle, review)
      throw new HubError('blocked', refusal(bundle, review))
    }
    const folder = join(homeSkillsFolder(home), ...safeParts(place))
    if (!(await options.confirm({ bundle, review, place, isUpdate: known !== undefined }))) {
      throw new HubError('declined', `"${bundle.name}" was not installed.`)
    }
    await withSkillsLock(home, signal, async () => {
      await recoverSwaps(home)
      await dropLostEntries(hub)
      await checkPlace(hub, bundle, place, known, options)
      const entry = lockEntry(hub, { bundle, place, known, options }, review)
      // The entry of a new skill comes first: without it, a crash would leave a skill of unknown origin. That of an
      // update comes last: a crash between leaves the new files under the old entry, which the next check sees.
      if (known === undefined) await setLockEntry(home, bundle.name, entry)
      await placeFolder(home, quarantine, folder)
      if (known !== undefined) await setLockEntry(home, bundle.name, entry)
    })
    await audit(hub, known === undefined ? 'INSTALL' : 'UPDATE', bundle, review)
    return { name: bundle.name, place, folder, review }
  } finally {
    await rm(quarantine, { recursive: true, force: true })
  }
}

async function toQuarantine({ home }: Hub, { name, files }: SkillBundle): Promise<string> {
  const parent = await ensureHubFolder(home, 'quarantine')
  const folder = join(parent, `${name}-${randomBytes(6).toString('hex')}`)
  await mkdir(folder, { mode: 0o700 })
  for (const [path, bytes] of files) {
    const target = join(folder, ...safeParts(path))
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writeFile(target, bytes, { mode: 0o600, flag: 'wx', flush: true })
  }
  return folder
}

/** What is moved must be what was looked through: names that a disk takes for one, or another program, could part them. */
async function refuseChangedFiles(folder: string, { name, files }: SkillBundle): Promise<void> {
  const onDisk = scanFiles(await readFolder(folder))
  if ((await folderContentHash(folder)) === contentHash(files) && onDisk.files === files.size) return
  throw new HubError('invalid', `The files of "${name}" changed while they were looked through.`)
}

/** Throws where the place is taken by a skill that is not to be replaced. */
async function checkPlace(
  hub: Hub,
  { name }: SkillBundle,
  place: string,
  known: LockEntry | undefined,
  { force }: InstallOptions,
): Promise<void> {
  const { skills } = await loadCatalogue(hub.scope)
  const same = skills.find((one) => one.name === name && one.place === 'home')
  const folder = join(homeSkillsFolder(hub.home), ...safeParts(place))
  if (!same) {
    if (existsSync(folder))
      throw new HubError('exists', `${folder} is there already and is no skill. Choose another --category.`)
    return
  }
  const there = relative(homeSkillsFolder(hub.home), same.folder)
  if (!known || known.install_path !== there) {
    throw new HubError(
      'exists',
      `There is a skill "${name}" already (${there}), which was not installed from a source. Remove or rename it first.`,
    )
  }
  if (there !== place)
    throw new HubError('exists', `"${name}" is installed already, in ${there}. Uninstall it first to move it.`)
  if (force) return
  if ((await folderContentHash(same.folder)) !== known.content_hash) {
    throw new HubError(
      'modified',
      `"${name}" was changed here since it was installed. --force replaces it, and your changes.`,
    )
  }
}

function lockEntry(hub: Hub, { bundle, place, known, options }: BundleInstall, review: BundleReview): LockEntry {
  const now = new Date(hub.now()).toISOString()
  const isForced = review.decision !== 'allow' && options.force === true
  return {
    source: bundle.source,
    identifier: bundle.identifier,
    trust_level: bundle.trust,
    scan_verdict: review.report.verdict,
    content_hash: contentHash(bundle.files),
    install_path: place,
    files: [...bundle.files.keys()].sort(),
    metadata: { ...bundle.metadata, ...(isForced && { forced: true }) },
    installed_at: known?.installed_at || now,
    updated_at: now,
  }
}

function audit(hub: Hub, action: AuditAction, bundle: SkillBundle, { report }: BundleReview): Promise<void> {
  const { name, source, trust, identifier } = bundle
  return writeAudit(hub.home, {
    action,
    name,
    source,
    trust,
    verdict: report.verdict,
    extra: identifier,
    at: hub.now(),
  })
}
