import { readContextFile } from './context-files/read-context-file.ts'
import type { ContextFileRules } from './context-files/read-context-file.ts'
import { shorten } from './context-files/shorten.ts'

/** Longest `SOUL.md` that is used whole, characters (upstream's limit). */
const maxSoulChars = 20_000

export const defaultIdentity = `You are Hermes, a personal AI agent. You help one person with whatever they bring: questions, writing, code, files, research, chores on their machine. Be direct and accurate. Say what you did, what you found, and what you are not sure of. Ask before anything that cannot be undone. Answer in the language you are addressed in, as briefly as the matter allows.`

export interface Identity {
  readonly text: string
  /** Why the home's `SOUL.md` is not used, for people. */
  readonly problem?: string
}

/** Who the agent is: the home's `SOUL.md`, or the built-in identity where that is missing, empty or not to be trusted. */
export async function identity(rules: ContextFileRules): Promise<Identity> {
  const soul = await readContextFile({ path: rules.home.path('SOUL.md') }, rules)
  if (soul?.type === 'text') return { text: shorten(soul.text, { maxChars: maxSoulChars, name: 'SOUL.md' }) }
  return { text: defaultIdentity, ...(soul && { problem: soul.problem }) }
}
