import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { ServiceError } from '../services/service-error.ts'
import { canConvert, convertAudio } from './convert-audio.ts'
import { freeProviders, speechProviders } from './providers/registry.ts'
import type { AudioFormat, SpeechProvider, SpeechSources } from './speech-provider.ts'

/** Longest text that is spoken, characters; the rest is left out. */
export const maxSpeechChars = 4_000

export interface SpeechWish extends SpeechSources {
  readonly text: string
  /** Where the file goes; its extension is the one of what could be made. */
  readonly path: string
  readonly format: AudioFormat
}

export interface Speech {
  readonly path: string
  readonly provider: string
  readonly format: AudioFormat
  /** What is not as it was wished for, for people and models. */
  readonly notes: readonly string[]
}

export const extensions: Readonly<Record<AudioFormat, string>> = { mp3: '.mp3', opus: '.ogg', wav: '.wav' }

/**
 * Speaks a text into a file, by the provider of `tts.provider`; where that fails, by one that costs nothing, though never
 * over the network when the chosen one is of this machine. Throws `ServiceError`; when `signal` aborts, its reason.
 */
export async function speak(wish: SpeechWish, signal: AbortSignal): Promise<Speech> {
  const chosen = wish.settings.provider.trim().toLowerCase() || 'edge'
  const first = await speechProviders[chosen]?.()
  const failures: string[] = []
  if (!first) failures.push(`tts.provider: there is no "${chosen}" (${Object.keys(speechProviders).join(', ')})`)
  const providers = [...(first ? [first] : []), ...(await othersThan(chosen, first?.isLocal === true))]
  let last: unknown
  for (const provider of providers) {
    try {
      const missing = await provider.missing(wish)
      if (missing !== undefined) throw new ServiceError('unconfigured', missing)
      const { path, format, notes } = await made(provider, wish, signal)
      const failed =
        failures.length > 0 ? [`${provider.name} spoke in place of ${chosen} (${failures.join('; ')})`] : []
      return { path, format, provider: provider.name, notes: [...failed, ...notes] }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      failures.push(`${provider.name}: ${error.message}`)
      last ??= error
    }
  }
  const code = last instanceof ServiceError ? last.code : 'unconfigured'
  throw new ServiceError(code, `Nothing could speak. ${failures.join('; ')}`, { cause: last })
}

async function othersThan(chosen: string, localOnly: boolean): Promise<readonly SpeechProvider[]> {
  const others = freeProviders.filter((name) => name !== chosen)
  const loaded = (await Promise.all(others.map(async (name) => speechProviders[name]?.()))).filter(
    (provider) => provider !== undefined,
  )
  return loaded.filter(({ isLocal }) => isLocal || !localOnly)
}

/** By one provider, in its own format where it does not make the one that is wished for and nothing can convert. */
async function made(provider: SpeechProvider, wish: SpeechWish, signal: AbortSignal) {
  const { text, path, settings, environment } = wish
  const isNative = provider.formats.includes(wish.format)
  const format = isNative ? wish.format : provider.formats[0]
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const own = join(dirname(path), `.speech-${randomBytes(6).toString('hex')}${extensions[format]}`)
  const converted = `${own}.converted`
  try {
    await provider.speak({ text, format, path: own }, { settings, environment }, signal)
    await checkMade(own, provider.name)
    if (isNative || !(await canConvert(environment))) {
      const place = isNative ? path : withExtension(path, format)
      await rename(own, place)
      return {
        path: place,
        format,
        notes: isNative ? [] : [`it is ${format}: ffmpeg, which makes ${wish.format} of it, is not installed`],
      }
    }
    await convertAudio({ from: own, to: converted, encoding: wish.format, environment }, signal)
    await checkMade(converted, 'ffmpeg')
    await rename(converted, path)
    return { path, format: wish.format, notes: [] }
  } finally {
    await rm(own, { force: true })
    await rm(converted, { force: true })
  }
}

async function checkMade(path: string, by: string): Promise<void> {
  try {
    if ((await stat(path)).size > 0) return
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  throw new ServiceError('malformed', `${by} made no audio.`)
}

function withExtension(path: string, format: AudioFormat): string {
  return `${path.slice(0, path.length - extname(path).length)}${extensions[format]}`
}
