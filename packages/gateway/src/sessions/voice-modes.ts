import { readFile } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import { createFileMemo } from '@hermes/core/storage/file-memo.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { withFileLock } from '@hermes/core/storage/file-lock.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'

/** When answers are spoken: never, to voice messages, always. */
export type VoiceMode = 'off' | 'voice_only' | 'all'

const file = lazily(() => z.record(z.string(), z.unknown()))
const mode = z.enum(['off', 'voice_only', 'all'])

/** Upstream's `gateway_voice_mode.json`: the mode of each chat that has chosen one. */
export interface VoiceModes {
  get(chatId: string): Promise<VoiceMode | undefined>
  set(chatId: string, mode: VoiceMode): Promise<void>
}

export function createVoiceModes(home: Home): VoiceModes {
  const path = home.path('gateway_voice_mode.json')
  // It is asked with every answer, and hardly ever there.
  const memo = createFileMemo()
  const read = async (): Promise<Readonly<Record<string, unknown>>> => {
    try {
      return file().safeParse(JSON.parse(await readFile(path, 'utf8'))).data ?? {}
    } catch (error) {
      if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
        return {}
      throw error
    }
  }
  return {
    async get(chatId) {
      const all = await memo.of('modes', (watch) => {
        watch(path)
        return read()
      })
      return Object.hasOwn(all, chatId) ? mode.safeParse(all[chatId]).data : undefined
    },
    set: (chatId, chosen) =>
      withFileLock(path, async () => {
        await writeFileAtomic(path, JSON.stringify({ ...(await read()), [chatId]: chosen }, null, 2), { mode: 0o600 })
      }),
  }
}

/** Whether an answer is spoken. A chat that has chosen nothing hears answers to its voice messages. */
export function isSpoken(chosen: VoiceMode | undefined, isVoiceMessage: boolean): boolean {
  return chosen === 'all' || (chosen !== 'off' && isVoiceMessage)
}
