import type { TranscriptMessage } from '../transcript.ts'

/** What an instruction comes to: a tool to call, or something to say. */
export type Step =
  | { readonly type: 'call'; readonly tool: string; readonly args: Readonly<Record<string, unknown>> }
  | { readonly type: 'say'; readonly text: string }

/** What an instruction may look at. */
export interface Surroundings {
  /** The conversation, the instruction included. */
  readonly messages: readonly TranscriptMessage[]
  /** Names of the tools that can be called. */
  readonly tools: ReadonlySet<string>
}

/** A kind of plain instruction that the offline model follows. */
export interface Instruction {
  /** How people write it, for `help`. */
  readonly example: string
  readonly does: string
  /** Whether it may be long: a command or a file's text. Others are matched against short texts only. */
  readonly takesLongText?: boolean
  /** What it looks like; the groups are given to `step`. The first that matches counts. */
  readonly patterns: readonly RegExp[]
  /** What to do; undefined when it was not meant after all. */
  step(groups: readonly string[], surroundings: Surroundings): Step | undefined
}

export function call(tool: string, args: Readonly<Record<string, unknown>>): Step {
  return { type: 'call', tool, args }
}

export function say(text: string): Step {
  return { type: 'say', text }
}

/** A word or phrase without the quotes around it, and without the full stop of the sentence. */
export function plain(text: string): string {
  const trimmed = text.trim()
  const quoted = /^(["'`“”‘’«»])([^]*)(["'`“”‘’«»])$/u.exec(trimmed)
  return quoted?.[2] ?? trimmed.replace(/(?<=[^.\s])\.$/u, '')
}
