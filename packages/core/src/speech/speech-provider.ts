import type { Environment } from '../agent/context.ts'
import type { Config } from '../config/schema.ts'

/** `opus`: in an Ogg file. */
export type AudioFormat = 'mp3' | 'opus' | 'wav'

export interface SpeechSources {
  readonly settings: Config['tts']
  readonly environment: Environment
}

export interface SpeechOrder {
  readonly text: string
  /** One of the provider's own. */
  readonly format: AudioFormat
  /** Where the file goes, in a folder that is there. */
  readonly path: string
}

/** Something that speaks. */
export interface SpeechProvider {
  /** As `tts.provider` names it. */
  readonly name: string
  /** What it makes by itself; the first is its usual one. */
  readonly formats: readonly [AudioFormat, ...AudioFormat[]]
  /** Runs on this machine: nothing of the text leaves it. */
  readonly isLocal?: true
  /** What it lacks here and how to get it; undefined when it can be used. */
  missing(sources: SpeechSources): Promise<string | undefined>
  /** Writes the file. Throws `ServiceError`; when `signal` aborts, its reason. */
  speak(order: SpeechOrder, sources: SpeechSources, signal: AbortSignal): Promise<void>
}

/** Longest file that a provider may send, bytes. */
export const maxSpeechBytes = 32 * 1024 * 1024

/** Longest that a provider may take. */
export const speechTimeoutMs = 120_000
