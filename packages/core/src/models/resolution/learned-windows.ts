import { readFile } from 'node:fs/promises'
import type { Home } from '../../config/home.ts'
import { writeFileAtomic } from '../../storage/atomic-write.ts'
import { createFileMemo } from '../../storage/file-memo.ts'
import { withFileLock } from '../../storage/file-lock.ts'

/** Context windows that servers told or turned out to have, in `context_length_cache.yaml`, which upstream shares. */
export interface LearnedWindows {
  /** Tokens; undefined where nothing was learned. */
  of(model: string, baseUrl: string): Promise<number | undefined>
  keep(model: string, baseUrl: string, tokens: number): Promise<void>
}

const mostKept = 1000

export function createLearnedWindows(home: Home | undefined): LearnedWindows {
  if (!home) return { of: async () => undefined, keep: async () => {} }
  const path = home.path('context_length_cache.yaml')
  const memo = createFileMemo()
  const known = () => memo.of(path, (watch) => (watch(path), read(path)))
  return {
    of: async (model, baseUrl) => (await known()).get(`${model}@${baseUrl}`),
    keep: async (model, baseUrl, tokens) => {
      const key = `${model}@${baseUrl}`
      if ((await known()).get(key) === tokens) return
      await withFileLock(path, async () => {
        const windows = await read(path)
        windows.delete(key)
        windows.set(key, tokens)
        await writeFileAtomic(path, toYaml([...windows].slice(-mostKept)))
      })
    },
  }
}

async function read(path: string): Promise<Map<string, number>> {
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && unreadable.has(String(error.code))) return new Map()
    throw error
  }
  return parsePlain(content) ?? parseAny(content)
}

const unreadable: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'])

/**
 * The form in which it is nearly always written, read without the YAML library, which would cost every start some 20 ms.
 * Undefined for any other.
 */
function parsePlain(content: string): Map<string, number> | undefined {
  const [head, ...lines] = content.split('\n').filter((line) => line.trim() !== '')
  if (head?.trimEnd() !== 'context_lengths:') return undefined
  const windows = new Map<string, number>()
  for (const line of lines) {
    const [, key, quoted, tokens] = /^ +(?:([A-Za-z0-9][^\s#'"]*)|("[^"\\]*")): (\d+)\s*$/.exec(line) ?? []
    const name = key ?? quoted?.slice(1, -1)
    if (name === undefined || !(Number(tokens) > 0)) return undefined
    windows.set(name, Number(tokens))
  }
  return windows
}

async function parseAny(content: string): Promise<Map<string, number>> {
  const { parse, YAMLError } = await import('yaml')
  try {
    const document = parse(content) as { context_lengths?: unknown } | null
    const windows = Object.entries((document?.context_lengths ?? {}) as Record<string, unknown>)
    return new Map(
      windows.filter((entry): entry is [string, number] => Number.isSafeInteger(entry[1]) && Number(entry[1]) > 0),
    )
  } catch (error) {
    // A cache that was damaged is begun anew.
    if (error instanceof YAMLError) return new Map()
    throw error
  }
}

/** As upstream writes it: sorted, a line each; names that YAML would read otherwise are quoted. */
function toYaml(windows: readonly (readonly [string, number])[]): string {
  const lines = windows
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, tokens]) => `  ${isPlain(key) ? key : JSON.stringify(key)}: ${tokens}\n`)
  return `context_lengths:\n${lines.join('')}`
}

function isPlain(key: string): boolean {
  return /^[A-Za-z0-9][\w./:@+-]*$/.test(key) && !key.endsWith(':')
}
