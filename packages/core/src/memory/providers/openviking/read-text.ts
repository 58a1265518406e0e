import { MemoryProviderError } from '../../memory-provider-error.ts'
import type { Level, OpenViking } from './service.ts'

/** Characters of each level that the model gets. */
const maxChars: Readonly<Record<Level, number>> = { abstract: 1_200, overview: 4_000, full: 8_000 }

/** Files in which a folder's summaries are: they are read as the folder's. */
const summaryFile = /\/\.(?:abstract|overview)\.md$/

export interface ReadText {
  readonly content: string
  /** Set where a file was read whole because only folders have summaries. */
  readonly fallback?: 'content/read'
}

/** What is at an address, at the level asked for where it has that. Throws `MemoryProviderError`. */
export async function readText(service: OpenViking, uri: string, level: Level, signal: AbortSignal): Promise<ReadText> {
  if (level === 'full') return { content: shortened(await service.read(uri, level, signal), level) }
  if (!summaryFile.test(uri) && (await isFile(service, uri, signal))) {
    return { content: shortened(await service.read(uri, 'full', signal), level), fallback: 'content/read' }
  }
  return { content: shortened(await service.read(uri.replace(summaryFile, ''), level, signal), level) }
}

async function isFile(service: OpenViking, uri: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await service.stat(uri, signal)).isDir === false
  } catch (error) {
    // The reading itself says better what is wrong with the address.
    if (error instanceof MemoryProviderError && error.code === 'refused' && error.status !== 401) return false
    throw error
  }
}

function shortened(text: string, level: Level): string {
  const most = maxChars[level]
  if (text.length <= most) return text
  return `${text.slice(0, most).toWellFormed()}\n\n[... cut; ${level === 'full' ? 'read what is below it one by one' : 'level full shows more'}]`
}
