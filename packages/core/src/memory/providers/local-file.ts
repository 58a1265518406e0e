import { basename, extname } from 'node:path'
import { checkRead, openChecked } from '../../security/file-safety.ts'
import { FileSafetyError } from '../../security/file-safety-error.ts'
import type { MemoryProviderStart } from '../memory-provider.ts'
import { MemoryProviderError } from '../memory-provider-error.ts'

/** A file of this machine that may be given to a service. */
export interface LocalFile {
  /** Without its folder. */
  readonly name: string
  readonly content: Blob
}

/** Largest file that is uploaded. */
export const maxUploadBytes = 10 * 1024 * 1024

/** Kinds that services treat in a way of their own; everything else is just bytes to them. */
const kinds: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.json': 'application/json',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.xml': 'application/xml',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
}

/**
 * Reads a file to be uploaded, whole. What tools may not read (credentials and the like) is not given away either. Throws
 * `MemoryProviderError` with code `invalid`, whose message is for the model.
 */
export async function readLocalFile(
  path: string,
  { home, environment, workspace }: Pick<MemoryProviderStart, 'home' | 'environment' | 'workspace'>,
): Promise<LocalFile> {
  try {
    const checked = await checkRead(path, { home, environment, cwd: workspace })
    if (!checked.stats) throw refused(`${checked.asked} does not exist.`)
    if (checked.stats.isDirectory()) throw refused(`${checked.asked} is a folder: upload its files one by one.`)
    await using file = await openChecked(checked)
    const buffer = Buffer.alloc(maxUploadBytes + 1)
    let size = 0
    for (;;) {
      const { bytesRead } = await file.read(buffer, size, buffer.length - size)
      size += bytesRead
      if (bytesRead === 0 || size > maxUploadBytes) break
    }
    if (size > maxUploadBytes) throw refused(`${checked.asked} is larger than ${maxUploadBytes / 1024 / 1024} MiB.`)
    const type = kinds[extname(checked.path).toLowerCase()] ?? 'application/octet-stream'
    return { name: basename(checked.asked), content: new Blob([buffer.subarray(0, size)], { type }) }
  } catch (error) {
    if (error instanceof FileSafetyError) throw refused(error.message, error)
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') throw refused(`${path} cannot be read.`)
    throw error
  }
}

function refused(message: string, cause?: unknown): MemoryProviderError {
  return new MemoryProviderError('invalid', message, { cause })
}
