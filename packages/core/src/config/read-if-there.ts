import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { ConfigError } from './config-error.ts'

/** Far more than people write by hand; much larger ones take minutes to parse. */
const maxFileBytes = 1024 * 1024

/**
 * A configuration file's bytes, or undefined when it is not there. Throws `ConfigError` with code `unreadable`, also for
 * what is larger than 1 MiB and for what is no file: a pipe would be waited for for ever.
 */
export function readIfThere(path: string): Buffer | undefined {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(file)
    if (!stats.isFile() && !isNullDevice(stats.rdev)) throw unreadable(path, 'it is no file')
    if (stats.size > maxFileBytes) {
      throw unreadable(path, `it has ${stats.size} bytes; at most ${maxFileBytes} are taken`)
    }
    return readFileSync(file)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadable(path, error instanceof Error ? error.message : String(error), error)
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** A link to `/dev/null` is how some switch a file off. Linux: major 1, minor 3; macOS: 3, 2. */
function isNullDevice(device: number): boolean {
  return device === (process.platform === 'darwin' ? 0x3000002 : 0x103)
}

function unreadable(path: string, reason: string, cause?: unknown): ConfigError {
  return new ConfigError('unreadable', `${path} cannot be read: ${reason}.`, { cause })
}
