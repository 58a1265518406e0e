import type { BigIntStats } from 'node:fs'
import { checkRemove, checkWrite } from '../../security/file-safety.ts'
import type { CheckedPath, FileRules } from '../../security/file-safety.ts'
import type { Redactor } from '../../security/redact.ts'
import type { FileChange } from '../change-files.ts'
import type { FileVersion } from '../file-reads.ts'
import { hiddenSecrets, maskedText } from '../hidden-secrets.ts'
import { fileDiff, newFileDiff } from './file-diff.ts'
import { editsOfHunks } from './locate-hunks.ts'
import { loadText } from './load-text.ts'
import type { Hunk, PatchOperation } from './parse-patch.ts'
import { PatchError } from './patch-error.ts'
import { openText } from './text-content.ts'

/** What a patch will do; nothing is done yet. */
export interface PatchPlan {
  readonly changes: readonly FileChange[]
  /** Unified diffs of all files. */
  readonly diff: string
  readonly modified: readonly string[]
  readonly created: readonly string[]
  readonly deleted: readonly string[]
}

/** How a file stands at some point of the patch. */
type FileState =
  | { readonly type: 'absent' }
  /** As it is on disk at `source`: the file itself, or the one that was moved here. */
  | { readonly type: 'untouched'; readonly source: CheckedPath }
  | Content

interface Content {
  readonly type: 'content'
  readonly bytes: Buffer
  /** The file that it was, whose mode it keeps. */
  readonly like: BigIntStats | undefined
  /** What it was made from. */
  readonly version: FileVersion | undefined
}

interface PlannedFile {
  /** As the patch names it. */
  readonly name: string
  readonly onDisk: CheckedPath
  state: FileState
}

interface Planning {
  readonly rules: FileRules
  readonly redactor: Redactor
  readonly files: Map<string, PlannedFile>
  readonly diffs: string[]
}

/** Works out a whole patch against the files as they are. Throws `PatchError` if any part of it does not fit. */
export async function planPatch(
  operations: readonly PatchOperation[],
  rules: FileRules,
  redactor: Redactor,
): Promise<PatchPlan> {
  const planning: Planning = { rules, redactor, files: new Map(), diffs: [] }
  for (const operation of operations) await planOperation(operation, planning)
  const files = [...planning.files.values()]
  const exists = (file: PlannedFile) => file.onDisk.stats !== undefined
  const movedAway = new Set(files.flatMap(({ state }) => (state.type === 'untouched' ? [state.source] : [])))
  const changes = files
    .filter(({ onDisk, state }) => state.type !== 'absent' || !movedAway.has(onDisk))
    .flatMap(changeOf)
  return {
    // What is taken away goes last: until then everything can be put back by a rename.
    changes: changes.toSorted((a, b) => order(a) - order(b)),
    diff: planning.diffs.join(''),
    modified: files.filter((file) => exists(file) && file.state.type === 'content').map(({ name }) => name),
    created: files.filter((file) => !exists(file) && file.state.type !== 'absent').map(({ name }) => name),
    deleted: files.filter((file) => exists(file) && file.state.type === 'absent').map(({ name }) => name),
  }
}

async function planOperation(operation: PatchOperation, planning: Planning): Promise<void> {
  if (operation.type === 'add') return add(operation, planning)
  if (operation.type === 'delete') return remove(operation.path, planning)
  if (operation.type === 'move') return move(operation.path, operation.moveTo, planning)
  await update(operation.path, operation.hunks, planning)
  if (operation.moveTo !== undefined) await move(operation.path, operation.moveTo, planning)
}

async function add({ path, content }: { path: string; content: string }, planning: Planning): Promise<void> {
  const file = await plannedFile(path, planning, checkWrite)
  if (file.state.type !== 'absent') {
    throw new PatchError(`${path} exists already. Use "*** Update File: ${path}", or delete it first.`)
  }
  await freePlace(file, planning)
  const text = content.toWellFormed()
  file.state = { type: 'content', bytes: Buffer.from(text), like: file.onDisk.stats, version: undefined }
  planning.diffs.push(newFileDiff(path, text))
}

async function remove(path: string, planning: Planning): Promise<void> {
  const file = await plannedFile(path, planning, checkRemove)
  requireFile(file, path)
  file.state = { type: 'absent' }
}

async function move(path: string, moveTo: string, planning: Planning): Promise<void> {
  const from = await plannedFile(path, planning, checkRemove)
  requireFile(from, path)
  const to = await plannedFile(moveTo, planning, checkWrite)
  if (to.state.type !== 'absent') throw new PatchError(`${moveTo} exists already, so ${path} cannot be moved there.`)
  await freePlace(to, planning)
  to.state = from.state.type === 'untouched' && to.onDisk.stats ? await contentOf(from.state.source) : from.state
  from.state = { type: 'absent' }
}

/** Before something new comes to the place of a file that this patch moves elsewhere, its bytes are taken along. */
async function freePlace(place: PlannedFile, { files }: Planning): Promise<void> {
  for (const file of files.values()) {
    if (file.state.type === 'untouched' && file !== place && file.state.source === place.onDisk)
      file.state = await contentOf(place.onDisk)
  }
}

async function update(path: string, hunks: readonly Hunk[], planning: Planning): Promise<void> {
  const file = await plannedFile(path, planning, checkWrite)
  const { state } = file
  if (state.type === 'absent' && file.onDisk.stats)
    throw new PatchError(`${path} was deleted or moved away earlier in this patch.`)
  const before =
    state.type === 'content' ? state : await contentOf(state.type === 'untouched' ? state.source : file.onDisk)
  const content = openText(before.bytes)
  const secrets = hiddenSecrets(content.text, planning.redactor)
  const edits = editsOfHunks(
    path,
    content.text,
    hunks.map((hunk) => inward(hunk, (text) => secrets.restore(content.inward(text)))),
  )
  const masked = edits.map((edit) => secrets.leftover(edit.text)).find((line) => line !== undefined)
  if (masked !== undefined) throw new PatchError(maskedText(path, masked))
  file.state = { ...before, bytes: content.withEdits(edits) }
  planning.diffs.push(fileDiff(path, content, edits))
}

async function contentOf(source: CheckedPath): Promise<Content> {
  const { bytes, version } = await loadText(source)
  return { type: 'content', bytes, version, like: source.stats }
}

function inward(hunk: Hunk, change: (text: string) => string): Hunk {
  return {
    ...hunk,
    hints: hunk.hints.map(change),
    lines: hunk.lines.map((line) => ({ ...line, text: change(line.text) })),
  }
}

/** The file by its real path, which is the same however the patch names it. */
async function plannedFile(name: string, { rules, files }: Planning, check: typeof checkWrite): Promise<PlannedFile> {
  const onDisk = await check(name, rules)
  const known = files.get(onDisk.path)
  if (known) return known
  const state: FileState = onDisk.stats ? { type: 'untouched', source: onDisk } : { type: 'absent' }
  const file = { name, onDisk, state }
  files.set(onDisk.path, file)
  return file
}

function requireFile(file: PlannedFile, path: string): void {
  if (file.state.type === 'absent') throw new PatchError(`File not found: ${path}`)
  if (file.state.type === 'untouched' && file.state.source.stats?.isDirectory())
    throw new PatchError(`${path} is a folder, not a file.`)
}

function changeOf({ onDisk, state }: PlannedFile): FileChange[] {
  if (state.type === 'absent') return onDisk.stats ? [{ type: 'remove', target: onDisk }] : []
  if (state.type === 'untouched')
    return state.source === onDisk ? [] : [{ type: 'move', from: state.source, target: onDisk }]
  const { bytes, version, like } = state
  const isOwn = onDisk.stats !== undefined && onDisk.stats === like
  return [{ type: 'write', target: onDisk, content: bytes, expected: isOwn ? version : undefined, like }]
}

function order(change: FileChange): number {
  return ['write', 'move', 'remove'].indexOf(change.type)
}
