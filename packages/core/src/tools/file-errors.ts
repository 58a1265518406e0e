import { FileSafetyError } from '../security/file-safety-error.ts'
import { jsonResult } from './tool.ts'
import type { Tool, ToolResult } from './tool.ts'

/** What the system's error codes mean for a model that wants to use a file. */
const meanings: Readonly<Record<string, string>> = {
  EACCES: 'No permission',
  EPERM: 'Not permitted',
  EROFS: 'The file system is read-only',
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk quota is used up',
  EISDIR: 'It is a folder, not a file',
  ENOTDIR: 'A part of the path is a file, not a folder',
  ENOENT: 'Not found',
  EEXIST: 'It exists already',
  EBUSY: 'It is in use, or a mount point',
  ELOOP: 'It became a link while it was being used; try again',
  ENAMETOOLONG: 'The name is too long',
  EMFILE: 'Too many open files',
  ENFILE: 'Too many open files',
  EIO: 'The disk could not be read or written',
}

/** Makes a tool's `run` answer a file that cannot be used with an error result that the model can act on. */
export function answeringFileErrors<Args>(run: Tool<Args>['run']): Tool<Args>['run'] {
  return async (args, context) => {
    try {
      return await run(args, context)
    } catch (error) {
      const result = context.signal.aborted ? undefined : fileErrorResult(error)
      if (result) return result
      throw error
    }
  }
}

function fileErrorResult(error: unknown): ToolResult | undefined {
  if (error instanceof FileSafetyError) {
    const isDenied = error.code === 'protected' || error.code === 'outside-root'
    return jsonResult({ error: error.message }, isDenied ? 'denied' : 'error')
  }
  const text = systemErrorText(error)
  return text === undefined ? undefined : jsonResult({ error: text }, 'error')
}

/** A system error in words; undefined for any other. */
export function systemErrorText(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const meaning = meanings[error.code]
  if (meaning === undefined) return undefined
  return 'path' in error && typeof error.path === 'string' ? `${meaning}: ${error.path}` : `${meaning} (${error.code}).`
}
