import type { PromptNotice } from '../context/blocks/block.ts'
import type { UserMessage } from '../models/transcript.ts'
import type { AgentContext } from './context.ts'
import type { SessionScope } from './session-scope.ts'
import type { TurnRequest } from './turn.ts'

export interface UserMessageSources {
  readonly context: AgentContext
  readonly scope: SessionScope
  /** The context window of the turn's model, tokens; asked for only when something is to be attached. */
  readonly contextLength: () => Promise<number>
  readonly signal: AbortSignal
}

/** The person's message as it is stored: what its @-references name is attached to it. */
export async function userMessage(
  { message: { text, typedLength = 0, images } }: Pick<TurnRequest, 'message'>,
  { context, scope, contextLength, signal }: UserMessageSources,
): Promise<{ readonly message: UserMessage; readonly notices: readonly PromptNotice[] }> {
  const content = text.toWellFormed()
  if (!content.slice(0, typedLength).includes('@')) return { message: { role: 'user', content, images }, notices: [] }
  const { expandReferences } = await import('../context/references/expand.ts')
  const { home, environment, redactor, config } = context
  const facts = { home, environment, redactor, networkSettings: config.security }
  const sources = { ...facts, workspace: scope.workspace(), contextLength, signal }
  const expanded = await expandReferences(content, typedLength, sources)
  return { message: { role: 'user', content: expanded.text, images }, notices: expanded.notices }
}
