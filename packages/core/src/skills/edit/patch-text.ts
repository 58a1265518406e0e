import { readFile } from 'node:fs/promises'
import { findText } from '../../tools/patch/find-text.ts'
import { openText } from '../../tools/patch/text-content.ts'
import type { SkillEntry } from '../catalogue.ts'
import { realFileInside } from '../inside.ts'
import { linkedFiles } from '../linked-files.ts'
import { SkillError } from '../skill-error.ts'

export interface TextPatch {
  readonly entry: SkillEntry
  readonly file: string
  readonly old: string
  readonly fresh: string
  /** Replace every place rather than refuse when there is more than one. */
  readonly all: boolean
}

const previewChars = 500

/** The text of a skill's file after a replacement, which may differ in blanks and the like from what stands there. */
export async function patchText({ entry, file, old, fresh, all }: TextPatch): Promise<{ text: string; note?: string }> {
  if (old === '')
    throw new SkillError('invalid', 'old_string is empty. Give the text to replace, as it stands in the file.')
  if (old === fresh) throw new SkillError('invalid', 'old_string and new_string are the same; nothing would change.')
  const path = await realFileInside(entry.folder, file)
  if (path === undefined) {
    throw new SkillError('not-found', `Skill "${entry.name}" has no file ${file}.`, {
      available_files: await linkedFiles(entry.folder),
    })
  }
  const content = openText(await readFile(path))
  const found = findText(content.text, content.inward(old), content.inward(fresh))
  if (!found) {
    throw new SkillError(
      'not-found',
      `old_string is not in ${file} of "${entry.name}". Copy the text as it stands there.`,
      {
        file_preview: content.text.slice(0, previewChars).toWellFormed(),
      },
    )
  }
  if (found.edits.length > 1 && (!all || found.isGuess)) {
    throw new SkillError(
      'invalid',
      `old_string is in ${file} ${found.edits.length} times. Add lines around it until it stands only once, or set replace_all.`,
    )
  }
  const text = Buffer.from(content.withEdits(found.edits)).toString('utf8')
  return found.isGuess ? { text, note: `The place was found by ${found.by}; check the file.` } : { text }
}
