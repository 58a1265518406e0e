import { checkWrite } from '../../security/file-safety.ts'
import type { FileRules } from '../../security/file-safety.ts'
import type { Redactor } from '../../security/redact.ts'
import { hiddenSecrets, maskedText } from '../hidden-secrets.ts'
import { fileDiff } from './file-diff.ts'
import { findText } from './find-text.ts'
import { loadText } from './load-text.ts'
import { PatchError } from './patch-error.ts'
import type { PatchPlan } from './plan-patch.ts'
import { mostSimilarLine } from './similar-lines.ts'
import { openText } from './text-content.ts'

export interface Replacement {
  readonly path: string
  readonly oldText: string
  readonly newText: string
  /** Replace every place rather than refuse when there is more than one. */
  readonly all: boolean
}

/** Works out a replacement against the file as it is. Throws `PatchError` where the place is missing or ambiguous. */
export async function planReplacement(
  { path, oldText, newText, all }: Replacement,
  rules: FileRules,
  redactor: Redactor,
): Promise<PatchPlan & { readonly warning: string | undefined }> {
  const checked = await checkWrite(path, rules)
  const { bytes, version } = await loadText(checked)
  const content = openText(bytes)
  const secrets = hiddenSecrets(content.text, redactor)
  const wanted = secrets.restore(content.inward(oldText))
  const fresh = secrets.restore(content.inward(newText))
  const masked = secrets.leftover(fresh)
  if (masked !== undefined) throw new PatchError(maskedText(path, masked))

  const found = findText(content.text, wanted, fresh)
  if (!found) throw notFound(path, content.text, oldText, redactor)
  const { edits } = found
  if (edits.length > 1 && (!all || found.isGuess)) {
    const lines = edits.slice(0, 10).map((edit) => content.text.slice(0, edit.start).split('\n').length)
    throw new PatchError(
      `old_string was found ${edits.length} times in ${path} (lines ${lines.join(', ')}). Add lines around it until it stands only once, or set replace_all.`,
    )
  }
  return {
    changes: [{ type: 'write', target: checked, content: content.withEdits(edits), expected: version }],
    diff: fileDiff(path, content, edits),
    modified: [path],
    created: [],
    deleted: [],
    warning: found.isGuess
      ? `old_string does not stand there exactly; the place was found by ${found.by}. Check the diff.`
      : undefined,
  }
}

function notFound(path: string, text: string, oldText: string, redactor: Redactor): PatchError {
  const lines = text.split('\n')
  const near = mostSimilarLine(lines, oldText.split('\n').find((line) => line.trim() !== '') ?? '')
  const shown = near === undefined ? undefined : redactor.redact(lines.slice(near, near + 3).join('\n')).slice(0, 600)
  return new PatchError(`Could not find old_string in ${path}.`, {
    _hint:
      shown === undefined
        ? 'Read the file again and copy the text as it stands there, without line numbers.'
        : `Nearest is line ${(near ?? 0) + 1}:\n${shown}`,
  })
}
