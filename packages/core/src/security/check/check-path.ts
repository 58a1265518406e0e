import { isCredentialFile } from '../credential-files.ts'
import { FileSafetyError } from '../file-safety-error.ts'
import { checkRead, checkRemove, checkWrite } from '../file-safety.ts'
import type { CheckedPath, FileRules } from '../file-safety.ts'
import type { Verdict } from './verdict.ts'

export const fileAccesses = ['read', 'write', 'remove'] as const
export type FileAccess = (typeof fileAccesses)[number]

export interface PathVerdict extends Verdict {
  readonly access: FileAccess
  /** Where the path really leads; undefined where that is not told. */
  readonly path?: string
}

const checks: Readonly<Record<FileAccess, (path: string, rules: FileRules) => Promise<CheckedPath>>> = {
  read: checkRead,
  write: checkWrite,
  remove: checkRemove,
}

/** What the file tools would do with a path, for one kind of access. Opens nothing but what may hold credentials. */
export async function checkPath(path: string, access: FileAccess, rules: FileRules): Promise<PathVerdict> {
  try {
    const checked = await checks[access](path, rules)
    const at = { access, path: checked.path }
    if (access === 'read' && (await isCredentialFile(checked.asked, checked.path))) {
      return { ...at, decision: 'asks', reason: 'it holds credentials: you are asked before it is read' }
    }
    const root = rules.environment['HERMES_WRITE_SAFE_ROOT']
    const where = access !== 'read' && root ? `it is inside ${root} (HERMES_WRITE_SAFE_ROOT)` : 'no rule protects it'
    return { ...at, decision: 'allowed', reason: checked.stats ? where : `${where}; nothing is there yet` }
  } catch (error) {
    if (!(error instanceof FileSafetyError)) throw error
    return { access, decision: 'denied', reason: error.message }
  }
}
