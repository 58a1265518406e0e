import { readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

/** A file's bytes, or undefined when it is not there. Throws `ConfigError` with code `unreadable`. */
export function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    const reason = error instanceof Error ? error.message : String(error)
    throw new ConfigError('unreadable', `${path} cannot be read: ${reason}`, { cause: error })
  }
}
