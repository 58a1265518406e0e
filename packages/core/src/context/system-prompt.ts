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

/**
 * The session's system prompt: built by its first turn, stored with it, and used byte for byte ever after, so that
 * provider caches hold.
 */
export async function systemPromptFor(
  session: Pick<Session, 'id' | 'systemPrompt'>,
  sources: Omit<PromptSources, 'sessionId'>,
): Promise<Pick<BuiltPrompt, 'text' | 'notices'>> {
  if (session.systemPrompt) return { text: session.systemPrompt, notices: [] }
  const { text, notices } = await buildSystemPrompt({ ...sources, sessionId: session.id })
  await sources.context.sessions.setSystemPrompt(session.id, text)
  return { text, notices }
}

/** The prompt as a session that begins now would get it. */
export async function buildSystemPrompt(sources: PromptSources): Promise<BuiltPrompt> {
  const built = await Promise.all(
    promptBlocks.map(async (block) => {
      const notices: PromptNotice[] = []
      const text = await block.build(sources, (notice) => notices.push(notice))
      return { name: block.name, about: block.about, text: text?.trim() ?? '', notices }
    }),
  )
  const blocks = built.filter(({ text }) => text !== '').map(({ name, about, text }) => ({ name, about, text }))
  return {
    text: blocks.map(({ text }) => text).join('\n\n'),
    blocks,
    notices: built.flatMap(({ notices }) => notices),
  }
}
