import type { Environment } from '../agent/context.ts'
import type { Config } from '../config/schema.ts'

export interface RecognizerSources {
  readonly settings: Config['stt']
  readonly environment: Environment
}

/** Something that writes down what is said. */
export interface Recognizer {
  /** As `stt.provider` names it. */
  readonly name: string
  /** Runs on this machine: nothing of the recording leaves it. */
  readonly isLocal?: true
  /** Extensions of the files that it takes, in lower case and without the dot. Others are converted, where that is possible. */
  readonly takes: ReadonlySet<string>
  /** Largest file that it takes, bytes. */
  readonly maxBytes: number
  /** What it lacks here and how to get it; undefined when it can be used. */
  missing(sources: RecognizerSources): Promise<string | undefined>
  /** The words. Throws `ServiceError`; when `signal` aborts, its reason. */
  recognize(path: string, sources: RecognizerSources, signal: AbortSignal): Promise<string>
}

/** Largest recording, bytes. */
export const maxRecordingBytes = 25 * 1024 * 1024
