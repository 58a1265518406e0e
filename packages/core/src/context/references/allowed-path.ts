import { realpath } from 'node:fs/promises'
import { isCredentialFile } from '../../security/credential-files.ts'
import { FileSafetyError } from '../../security/file-safety-error.ts'
import { isWithin } from '../../security/file-safety-guard.ts'
import { checkRead, guardOf, userHomeOf } from '../../security/file-safety.ts'
import type { CheckedPath } from '../../security/file-safety.ts'
import { AttachmentError } from './attachment.ts'
import type { AttachmentSources } from './attachment.ts'

/** Where a reference's path leads, links followed. Throws `AttachmentError` for what may not be attached, or is not there. */
export async function allowedPath(path: string, sources: AttachmentSources): Promise<CheckedPath> {
  const { home, environment, workspace } = sources
  const rules = { home, environment, cwd: workspace }
  try {
    const checked = await checkRead(path, rules)
    const root = await realpath(workspace)
    if (!isWithin(checked.path, root)) throw new AttachmentError('outside', `it is outside of ${root}`)
    if (await isSensitive(checked, rules)) throw sensitive()
    if (!checked.stats) throw new AttachmentError('not-found', 'there is no such file or folder')
    return checked
  } catch (error) {
    if (error instanceof FileSafetyError && error.code === 'protected') throw sensitive(error)
    if (error instanceof FileSafetyError) throw new AttachmentError('unreadable', error.message, { cause: error })
    if (error instanceof Error && 'code' in error && !(error instanceof AttachmentError)) {
      throw new AttachmentError('unreadable', `it cannot be read (${String(error.code)})`, { cause: error })
    }
    throw error
  }
}

/** Beside what no tool may read: what starts a shell, the agent's own files, and names that tell enough. */
async function isSensitive(
  { asked, path }: CheckedPath,
  rules: {
    readonly home: AttachmentSources['home']
    readonly environment: AttachmentSources['environment']
    readonly cwd: string
  },
): Promise<boolean> {
  if (await isCredentialFile(asked, path)) return true
  if ((await guardOf(rules)).protection(path) === undefined) return false
  const own = [rules.home.dir, await userHomeOf(rules.home, rules.environment)]
  const folders = await Promise.all(own.map((folder) => realpath(folder).catch(() => folder)))
  return folders.some((folder) => isWithin(path, folder))
}

function sensitive(cause?: unknown): AttachmentError {
  return new AttachmentError('sensitive', 'files with credentials or settings of the system are not attached', {
    cause,
  })
}
