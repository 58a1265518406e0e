import { guardOf } from '../../security/file-safety.ts'
import { outputLines } from '../../tools/search/output-lines.ts'
import { walk } from '../../tools/search/walk.ts'
import type { AttachmentSources } from './attachment.ts'

export interface FileList {
  /** Relative to the folder, with `/` between the parts. */
  readonly files: readonly string[]
  /** Whether there are more, or time ran out. */
  readonly isCut: boolean
}

export interface ListFilesOptions extends Pick<AttachmentSources, 'home' | 'environment' | 'signal'> {
  /** Most files that are listed. */
  readonly limit: number
  readonly timeoutMs: number
}

/** The files of a folder: those that git would keep where it is in a repository, else all but hidden ones. */
export async function listFiles(folder: string, options: ListFilesOptions): Promise<FileList> {
  const { home, environment, limit, timeoutMs } = options
  const timeout = AbortSignal.timeout(timeoutMs)
  const signal = AbortSignal.any([options.signal, timeout])
  const collected: string[] = []
  try {
    if (await collect(gitFiles(folder, environment['PATH'], signal), collected, limit)) {
      return { files: collected, isCut: true }
    }
    if (collected.length > 0) return { files: collected, isCut: false }
    const guard = await guardOf({ home, environment, cwd: folder })
    const isClosed = (path: string) => guard.protection(path) === 'all'
    return { isCut: await collect(walk({ root: folder, isClosed, signal }), collected, limit), files: collected }
  } catch (error) {
    options.signal.throwIfAborted()
    if (timeout.aborted) return { files: collected, isCut: true }
    throw error
  }
}

/** Whether there was more than fits. */
async function collect(paths: AsyncIterable<string>, into: string[], limit: number): Promise<boolean> {
  for await (const path of paths) {
    if (into.length >= limit) return true
    into.push(path)
  }
  return false
}

/** None where the folder is in no repository, or there is no git. */
async function* gitFiles(cwd: string, path: string | undefined, signal: AbortSignal): AsyncGenerator<string> {
  const settings = ['-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false']
  const args = [...settings, 'ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate']
  try {
    for await (const line of outputLines({ command: 'git', args, cwd, path, signal })) {
      // A name in quotes has a line end or a quote in it.
      if (!line.startsWith('"')) yield line
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
