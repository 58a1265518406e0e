import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** Most of the file that is read, from its end. */
const maxBytes = 256 * 1024

/** A pipe in the file's place is not waited for. */
const nonBlocking = constants.O_NONBLOCK

/**
 * The entries of an input history in the format of prompt_toolkit's `FileHistory` (a `# time` line, then each line of
 * the entry after a `+`), oldest first. Only the end of a big file is read. No file is an empty history.
 */
export async function loadHistory(path: string): Promise<readonly string[]> {
  const { text, whole } = await readEnd(path)
  const lines = text.split('\n')
  const first = whole ? 0 : lines.findIndex((line) => line.startsWith('# '))
  const entries: string[] = []
  let entry: string[] = []
  for (const line of [...(first < 0 ? [] : lines.slice(first)), '']) {
    if (line.startsWith('+')) {
      entry.push(line.slice(1))
    } else if (entry.length > 0) {
      entries.push(entry.join('\n'))
      entry = []
    }
  }
  return entries
}

/** Adds an entry in one write, so that several programs can share the file. */
export async function appendHistory(path: string, entry: string, at: Date): Promise<void> {
  const lines = entry.split('\n').map((line) => `+${line}\n`)
  await using file = await open(path, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | nonBlocking, 0o600)
  await file.appendFile(`\n# ${localTime(at)}\n${lines.join('')}`)
}

async function readEnd(path: string): Promise<{ text: string; whole: boolean }> {
  try {
    await using file = await open(path, constants.O_RDONLY | nonBlocking)
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(`${path} is no file`)
    const { size } = stats
    const start = Math.max(0, size - maxBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start)
    return { text: buffer.toString('utf8', 0, bytesRead), whole: start === 0 }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { text: '', whole: true }
    throw error
  }
}

/** `2026-03-01 14:05:09.123000`, as Python writes a local time. */
function localTime(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
  return `${day} ${time}.${String(at.getMilliseconds()).padStart(3, '0')}000`
}
