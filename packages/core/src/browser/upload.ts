import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { checkRead, openChecked } from '../security/file-safety.ts'
import type { FileRules } from '../security/file-safety.ts'
import { BrowserError } from './browser-error.ts'
import type { PageElement } from './page/element.ts'

export interface Upload {
  /** As the model wrote it. */
  readonly path: string
  readonly rules: FileRules
  /** Shared with the browser; undefined where it is on another machine. */
  readonly filesDir: string | undefined
}

/** Largest file given to a page. */
const maxUploadBytes = 100 * 1024 * 1024

/**
 * Gives a file to a file input: a copy of what was checked, so that nothing else can be put in its place before the
 * browser reads it. Throws `FileSafetyError` or `BrowserError`.
 */
export async function giveFile(
  { frame, backendNodeId }: PageElement,
  { path, rules, filesDir }: Upload,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly bytes: number }> {
  if (filesDir === undefined) {
    throw new BrowserError('not-usable', 'Files can only be given to a browser that was started on this machine.')
  }
  const checked = await checkRead(path, rules)
  if (!checked.stats?.isFile()) throw new BrowserError('not-usable', `There is no file ${checked.asked}.`)
  if (checked.stats.size > maxUploadBytes) {
    throw new BrowserError('not-usable', `${checked.asked} is larger than ${maxUploadBytes / 1024 / 1024} MB.`)
  }
  await using file = await openChecked(checked)
  const bytes = await file.readFile({ signal })
  const folder = join(filesDir, 'given', randomUUID())
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const copy = join(folder, basename(checked.asked))
  await writeFile(copy, bytes, { mode: 0o600 })
  await frame.session.send('DOM.setFileInputFiles', { backendNodeId, files: [copy] })
  return { path: checked.asked, bytes: bytes.length }
}
