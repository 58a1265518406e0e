import { z } from 'zod'
import { checkWrite, fileRules } from '../security/file-safety.ts'
import type { CheckedPath } from '../security/file-safety.ts'
import { changeFiles } from './change-files.ts'
import { finishChanges } from './change-journal.ts'
import { changedSinceRead, digestOf } from './changed-since-read.ts'
import { answeringFileErrors } from './file-errors.ts'
import { versionOf } from './file-reads.ts'
import { foreignMask, hiddenSecrets, maskedText } from './hidden-secrets.ts'
import { loadText } from './patch/load-text.ts'
import { PatchError } from './patch/patch-error.ts'
import { openText } from './patch/text-content.ts'
import { defineTool, jsonResult } from './tool.ts'

export const writeFile = defineTool({
  name: 'write_file',
  toolset: 'file',
  description:
    'Write a whole file: it is created with its folders, or all that it held is replaced. To change a part of a file use patch. Use this instead of echo or cat heredocs.',
  input: z.object({
    path: z.string().describe('Absolute, relative to the working directory, or ~/…'),
    content: z.string().describe('Everything the file is to hold'),
  }),
  concurrency: 'exclusive',
  preview: ({ path }) => path,
  run: answeringFileErrors(async ({ path, content }, context) => {
    const { fileReads } = context.session
    await finishChanges(context.agent.home)
    const checked = await checkWrite(path, fileRules(context))
    if (checked.stats?.isDirectory()) return jsonResult({ error: `${checked.asked} is a folder, not a file.` }, 'error')
    const changed = await changedSinceRead(checked, fileReads)
    if (changed !== undefined) return jsonResult({ error: changed }, 'error')
    const current = await currentText(checked)
    const secrets = hiddenSecrets(current, context.agent.redactor)
    const text = secrets.restore(content.toWellFormed())
    const masked = secrets.leftover(text)
    if (masked !== undefined) return jsonResult({ error: maskedText(checked.asked, masked) }, 'error')

    const mask = foreignMask(text, current)
    const bytes = Buffer.from(text)
    const expected = checked.stats && fileReads.lastSeen(checked.path) ? versionOf(checked.stats) : undefined
    const { versions, madeFolders } = await changeFiles(
      [{ type: 'write', target: checked, content: bytes, ...(expected && { expected }) }],
      context.signal,
    )
    const version = versions.get(checked.path)
    fileReads.wrote(checked, version && { version, digest: digestOf(bytes) })
    return jsonResult({
      bytes_written: bytes.length,
      dirs_created: madeFolders,
      ...(mask !== undefined && {
        warning: `The text has ${mask} in it, the mask of a secret and not the secret itself.`,
      }),
    })
  }),
})

/** What the file holds now, where it is text; nothing else can have been shown with masks. */
async function currentText(checked: CheckedPath): Promise<string> {
  if (!checked.stats?.isFile()) return ''
  try {
    return openText((await loadText(checked)).bytes).text
  } catch (error) {
    if (error instanceof PatchError) return ''
    throw error
  }
}
