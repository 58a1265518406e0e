import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { changeFiles } from '../../tools/change-files.ts'
import { writeFileAtomic } from '../../storage/atomic-write.ts'
import { loadCatalogue } from '../catalogue.ts'
import type { SkillEntry } from '../catalogue.ts'
import type { GuardFinding } from '../guard/finding.ts'
import { readFolder } from '../guard/read-folder.ts'
import { realFileInside, safeParts } from '../inside.ts'
import { linkedFiles } from '../linked-files.ts'
import { SkillError } from '../skill-error.ts'
import { maxFileBytes, maxFileChars, supportFolders } from '../skill-limits.ts'
import { isCategoryName, isSkillName } from '../skill-name.ts'
import { homeSkillsFolder } from '../skill-scope.ts'
import type { SkillScope } from '../skill-scope.ts'
import { writeAudit } from '../store/audit-log.ts'
import { withSkillsLock } from '../store/hub-folder.ts'
import { readLockFile, setLockEntry } from '../store/lock-file.ts'
import { recordAgentWrite } from '../store/provenance.ts'
import { discardFolder, placeFolder, stagingFolder } from '../store/swap-folder.ts'
import { checkDocument } from './check-document.ts'
import { reviewWrite } from './check-write.ts'
import type { WriteReview } from './check-write.ts'
import { patchText } from './patch-text.ts'

/** Who writes, and whom to ask. */
export interface EditorOptions {
  readonly scope: SkillScope
  readonly sessionId: string
  readonly now: () => number
  /** Whether what the guard calls dangerous may be written; `subject` names the skill. */
  readonly consent: (subject: string, findings: readonly GuardFinding[]) => Promise<boolean>
  readonly signal: AbortSignal
}

/** What came of a write. */
export interface EditOutcome {
  /** The skill's folder. */
  readonly folder: string
  /** The file that was written or removed, absolute. */
  readonly path: string
  readonly review: WriteReview
  /** How the place was found, where it was not exactly there. */
  readonly note?: string
}

/**
 * The agent's hand on the skills of the home. Every write is checked by the guard before it reaches the disk, is made in
 * one step, and its origin is recorded. Throws `SkillError`.
 */
export interface SkillEditor {
  create(name: string, text: string, category?: string): Promise<EditOutcome>
  /** Replaces the whole SKILL.md. */
  edit(name: string, text: string): Promise<EditOutcome>
  /** Replaces a text in SKILL.md or in another file. */
  patch(name: string, change: { file?: string; old: string; fresh: string; all: boolean }): Promise<EditOutcome>
  remove(name: string): Promise<EditOutcome>
  writeFile(name: string, file: string, text: string): Promise<EditOutcome>
  removeFile(name: string, file: string): Promise<EditOutcome>
}

const nothing: WriteReview = { verdict: 'safe', findings: [] }

export function createSkillEditor(options: EditorOptions): SkillEditor {
  const { scope, sessionId, now, consent, signal } = options
  const { home } = scope
  const locked = <T>(change: () => Promise<T>): Promise<T> => withSkillsLock(home, signal, change)

  async function recorded(folder: string, name: string, review: WriteReview, created: boolean): Promise<void> {
    await recordAgentWrite(home, { folder, sessionId, at: now(), created })
    if (review.verdict === 'safe') return
    const extra = review.findings.map(({ rule }) => rule).join(',')
    await writeAudit(home, {
      action: 'AGENT_WRITE',
      name,
      source: 'agent',
      trust: 'agent-created',
      verdict: review.verdict,
      extra,
      at: now(),
    })
  }

  /** Checks and makes one change of a skill's file. */
  async function write(entry: SkillEntry, file: string, text: string, note?: string): Promise<EditOutcome> {
    const path = await targetInside(entry.folder, file)
    const bytes = Buffer.from(text.toWellFormed())
    const before = await readFolder(entry.folder)
    const review = await reviewWrite({
      before,
      change: { path: file, bytes },
      consent: (found) => consent(entry.name, found),
    })
    // Not by its path alone: a link that is put on the way meanwhile must lead nowhere.
    const target = { asked: path, path, stats: await statsOf(path) }
    await changeFiles([{ type: 'write', target, content: bytes }], signal)
    await recorded(entry.folder, entry.name, review, false)
    return { folder: entry.folder, path, review, ...(note !== undefined && { note }) }
  }

  return {
    create: (name, text, category) =>
      locked(async () => {
        checkName(name, 'name')
        if (category !== undefined) checkName(category, 'category')
        await checkDocument(text)
        const { skills } = await loadCatalogue(scope)
        const same = skills.find((one) => one.name === name)
        if (same)
          throw new SkillError('exists', `There is a skill "${name}" already, in ${same.folder}. Use edit or patch.`)
        const bytes = Buffer.from(text.toWellFormed())
        const change = { path: 'SKILL.md', bytes }
        const review = await reviewWrite({ before: [], change, consent: (found) => consent(name, found) })
        const folder = join(homeSkillsFolder(home), ...(category === undefined ? [] : [category]), name)
        const staged = await stagingFolder(home)
        await writeFileAtomic(join(staged, 'SKILL.md'), bytes, { mode: 0o600 })
        await placeFolder(home, staged, folder)
        await recorded(folder, name, review, true)
        return { folder, path: join(folder, 'SKILL.md'), review }
      }),

    edit: (name, text) =>
      locked(async () => {
        await checkDocument(text)
        return write(await ownSkill(scope, name), 'SKILL.md', text)
      }),

    patch: (name, { file = 'SKILL.md', old, fresh, all }) =>
      locked(async () => {
        const entry = await ownSkill(scope, name)
        if (file !== 'SKILL.md') checkSupportPath(file)
        const patched = await patchText({ entry, file, old, fresh, all })
        if (file === 'SKILL.md') await checkDocument(patched.text)
        else checkFileSize(file, patched.text)
        return write(entry, file, patched.text, patched.note)
      }),

    remove: (name) =>
      locked(async () => {
        const entry = await ownSkill(scope, name)
        await discardFolder(home, entry.folder)
        if ((await readLockFile(home))[entry.name]) await setLockEntry(home, entry.name, undefined)
        await writeAudit(home, {
          action: 'AGENT_DELETE',
          name: entry.name,
          source: 'agent',
          trust: 'agent-created',
          verdict: 'safe',
          at: now(),
        })
        return { folder: entry.folder, path: entry.path, review: nothing }
      }),

    writeFile: (name, file, text) =>
      locked(async () => {
        const entry = await ownSkill(scope, name)
        checkSupportPath(file)
        checkFileSize(file, text)
        return write(entry, file, text)
      }),

    removeFile: (name, file) =>
      locked(async () => {
        const entry = await ownSkill(scope, name)
        checkSupportPath(file)
        const path = await realFileInside(entry.folder, file)
        if (path === undefined) {
          throw new SkillError('not-found', `Skill "${entry.name}" has no file ${file}.`, {
            available_files: await linkedFiles(entry.folder),
          })
        }
        const named = join(entry.folder, ...safeParts(file))
        const target = { asked: file, path: join(await realpath(dirname(named)), basename(named)), stats: undefined }
        await changeFiles([{ type: 'remove', target }], signal)
        await recorded(entry.folder, entry.name, nothing, false)
        return { folder: entry.folder, path, review: nothing }
      }),
  }
}

/** A skill that may be changed: in the home, switched on or not. */
async function ownSkill(scope: SkillScope, name: string): Promise<SkillEntry> {
  const { skills } = await loadCatalogue(scope)
  const entry =
    skills.find((one) => one.name === name || `${one.category}/${one.name}` === name) ??
    skills.find((one) => one.title === name)
  if (!entry) {
    throw new SkillError(
      'not-found',
      `There is no skill "${name}". Use create to make it, or skills_list to see what there is.`,
    )
  }
  if (entry.place === 'home') return entry
  throw new SkillError(
    'read-only',
    `Skill "${entry.name}" lies in ${entry.folder}, a folder that is only read. Create one of another name instead.`,
  )
}

function checkName(name: string, what: 'name' | 'category'): void {
  const isGood = what === 'name' ? isSkillName(name) : isCategoryName(name)
  if (isGood) return
  throw new SkillError(
    'invalid',
    `"${name}" is no ${what}: at most 64 small letters, digits, "-", "_" and ".", beginning with a letter or digit.`,
  )
}

function checkSupportPath(file: string): void {
  const [first, ...rest] = safeParts(file)
  const folders: readonly string[] = supportFolders
  if (first !== undefined && folders.includes(first) && rest.length > 0 && !rest.some((part) => part.startsWith('.')))
    return
  throw new SkillError(
    'invalid',
    `"${file}" must be a file in one of ${supportFolders.map((name) => `${name}/`).join(', ')}.`,
  )
}

function checkFileSize(file: string, text: string): void {
  if (text.length <= maxFileChars && Buffer.byteLength(text) <= maxFileBytes) return
  throw new SkillError('invalid', `${file} would have ${text.length} characters; at most ${maxFileChars} are allowed.`)
}

/** Where a file of a skill is to be written, its folder made. Links that lead out of the skill's folder are refused. */
async function targetInside(folder: string, file: string): Promise<string> {
  const there = await realFileInside(folder, file)
  if (there !== undefined) return there
  const parts = safeParts(file)
  let [base, depth] = [await realpath(folder), 0]
  for (let above = parts.length - 1; above > 0; above--) {
    const real = await realFileInside(folder, parts.slice(0, above).join('/'))
    if (real === undefined) continue
    ;[base, depth] = [real, above]
    break
  }
  const path = join(base, ...parts.slice(depth))
  return path
}

async function statsOf(path: string) {
  try {
    return await lstat(path, { bigint: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
