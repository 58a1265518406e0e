import { stat } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'

/** Files of chats, by what they are. */
export type CacheName = 'images' | 'audio' | 'documents'

const olderNames: Readonly<Record<CacheName, string>> = {
  images: 'image_cache',
  audio: 'audio_cache',
  documents: 'document_cache',
}

/** Where they are kept: `cache/images` …, or the old folder of a home that has one. */
export async function cacheFolder(home: Home, name: CacheName): Promise<string> {
  const old = home.path(olderNames[name])
  try {
    if ((await stat(old)).isDirectory()) return old
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return home.path('cache', name)
}
