import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServiceError } from '../services/service-error.ts'
import { fittingRecording } from './fitting-recording.ts'
import type { Recognizer, RecognizerSources } from './recognizer.ts'
import { recognizers } from './recognizers/registry.ts'

/** What was said, or why that is not known; in upstream's form. */
export type Transcript =
  | { readonly success: true; readonly transcript: string; readonly provider: string }
  | { readonly success: false; readonly transcript: ''; readonly error: string }

/**
 * Writes down what is said in a file of sound, by the recogniser of `stt.provider`; with `auto` by the first that can be
 * used and does not fail, those of this machine before services. One that was chosen is replaced by none but one of this
 * machine. Never throws but the reason of `signal`. The text is a person's, to be treated like one that was typed.
 */
export async function transcribe(path: string, sources: RecognizerSources, signal: AbortSignal): Promise<Transcript> {
  if (!sources.settings.enabled) return failed('Recognition of speech is switched off (stt.enabled).')
  const problem = await notThere(path)
  if (problem !== undefined) return failed(problem)
  const failures: string[] = []
  const folder = await mkdtemp(join(tmpdir(), 'hermes-stt-'))
  try {
    for await (const recognizer of chosen(sources.settings.provider)) {
      try {
        const transcript = await recognizedBy(recognizer, { path, folder, sources }, signal)
        return { success: true, transcript, provider: recognizer.name }
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ServiceError)) throw error
        failures.push(`${recognizer.name}: ${error.message}`)
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return failed(`No speech could be recognised. ${failures.join('; ')}`)
}

async function recognizedBy(
  recognizer: Recognizer,
  { path, folder, sources }: { readonly path: string; readonly folder: string; readonly sources: RecognizerSources },
  signal: AbortSignal,
): Promise<string> {
  const missing = await recognizer.missing(sources)
  if (missing !== undefined) throw new ServiceError('unconfigured', missing)
  const { environment } = sources
  const fitting = await fittingRecording({ path, folder, recognizer, environment }, signal)
  return (await recognizer.recognize(fitting, sources, signal)).trim()
}

/** The chosen one, and behind one of this machine the other one of it. */
async function* chosen(provider: string): AsyncGenerator<Recognizer> {
  const first = await recognizers[provider]?.()
  if (first) yield first
  for (const [name, load] of Object.entries(recognizers)) {
    if (name === provider) continue
    const other = await load()
    if (!first || (first.isLocal && other.isLocal)) yield other
  }
}

async function notThere(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path)
    if (!stats.isFile()) return 'The recording is no file.'
    return stats.size === 0 ? 'The recording is empty.' : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error) return `The recording cannot be read (${String(error.code)}).`
    throw error
  }
}

function failed(error: string): Transcript {
  return { success: false, transcript: '', error }
}
