import type { AssistantMessage, ToolMessage, TranscriptMessage, UserMessage } from '../transcript.ts'

/** How a wire writes the parts of a transcript as blocks. */
export interface BlockWriter<Block> {
  user(message: UserMessage): readonly Block[]
  assistant(message: AssistantMessage): readonly Block[]
  result(message: ToolMessage): Block
}

export interface BlockMessage<Block> {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

/**
 * A transcript as messages of blocks, the system message left out: results of tools stand in the user's message that
 * follows their calls, and roles alternate.
 */
export function alternating<Block>(
  messages: readonly TranscriptMessage[],
  write: BlockWriter<Block>,
): BlockMessage<Block>[] {
  const wire: { role: 'user' | 'assistant'; content: Block[] }[] = []
  const add = (role: 'user' | 'assistant', blocks: readonly Block[]): void => {
    if (blocks.length === 0) return
    const last = wire.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else wire.push({ role, content: [...blocks] })
  }
  for (const message of messages) {
    if (message.role === 'user') add('user', write.user(message))
    else if (message.role === 'assistant') add('assistant', write.assistant(message))
    else if (message.role === 'tool') add('user', [write.result(message)])
  }
  return wire
}

/** Blocks of nothing but white space are refused; what must be said all the same is said so. */
export const emptyMessage = '(empty message)'
export const emptyResult = '(no output)'
