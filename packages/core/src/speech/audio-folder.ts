import { stat } from 'node:fs/promises'
import type { Home } from '../config/home.ts'

/** Where speech is kept: `cache/audio`, or the old `audio_cache` of a home that has one. */
export async function audioFolder(home: Home): Promise<string> {
  const old = home.path('audio_cache')
  try {
    if ((await stat(old)).isDirectory()) return old
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  return home.path('cache', 'audio')
}
