import { together } from '../agent/together.ts'
import type { Session } from '../sessions/store.ts'
import type { BuiltBlock, PromptNotice, PromptSources } from './blocks/block.ts'
import { promptBlocks } from './blocks/registry.ts'

export interface BuiltPrompt {
  /** The blocks, with an empty line between each two. */
  readonly text: string
  /** Those that have something to say, in their order. */
  readonly blocks: readonly BuiltBlock[]
  /** What was left out, for people. */
  readonly notices: readonly PromptNotice[]
}

/** A session's prompt, and whether it is still to be stored. */
export interface SessionPrompt extends Pick<BuiltPrompt, 'text' | 'notices'> {
  readonly isNew: boolean
}

/**
 * The session's system prompt: built by its first turn, stored with its first answer, and used byte for byte ever after, so
 * that provider caches hold.
 */
export async function systemPromptFor(
  session: Pick<Session, 'id' | 'systemPrompt'>,
  sources: Omit<PromptSources, 'sessionId'>,
): Promise<SessionPrompt> {
  if (session.systemPrompt) return { text: session.systemPrompt, notices: [], isNew: false }
  const { text, notices } = await buildSystemPrompt({ ...sources, sessionId: session.id })
  return { text, notices, isNew: true }
}

/** The prompt as a session that begins now would get it. */
export async function buildSystemPrompt(sources: PromptSources): Promise<BuiltPrompt> {
  // In the order of the blocks, whichever of them takes longest.
  const told = promptBlocks.map((): PromptNotice[] => [])
  const texts = await together(
    promptBlocks.map((block, at) => block.build(sources, (notice) => told[at]?.push(notice))),
  )
  const blocks = promptBlocks.flatMap(({ name, about }, at): BuiltBlock[] => {
    const text = texts[at]?.trim() ?? ''
    return text === '' ? [] : [{ name, about, text }]
  })
  const own = blocks.map(({ text }) => text)
  const join = () => own.join('\n\n')
  return { text: sources.context.promptMemo?.(own, join) ?? join(), blocks, notices: told.flat() }
}
