import { isSummaryMessage } from '@hermes/core/context/compaction/summary-message.ts'
import { typedText } from '@hermes/core/context/references/attached-text.ts'
import type { StoredMessage } from '@hermes/core/sessions/store.ts'
import type { View } from './view.ts'

/** Shows the last messages of a conversation as they looked when they came. */
export function showConversation(
  messages: readonly StoredMessage[],
  view: Pick<View, 'print' | 'showMessage' | 'showAnswer' | 'showToolCall'>,
  { most }: { readonly most: number },
): void {
  const left = messages.length - most
  if (left > 0) view.print(`… ${left} earlier messages`, 'dim')
  for (const { message } of messages.slice(-most)) {
    if (isSummaryMessage(message)) {
      view.print('(A summary of what came before.)', 'dim')
      continue
    }
    if (message.role === 'user') view.showMessage(typedText(message.content) || '(attached context)', 'earlier')
    if (message.role !== 'assistant') continue
    if (message.content.trim() !== '') view.showAnswer(message.content)
    for (const call of message.toolCalls) view.showToolCall(call.name, previewOf(call.arguments))
  }
}

/** The first text among a call's arguments: the command, the path, the question … */
function previewOf(args: string): string {
  try {
    const parsed: unknown = JSON.parse(args)
    if (typeof parsed !== 'object' || parsed === null) return ''
    return Object.values(parsed).find((value) => typeof value === 'string') ?? ''
  } catch {
    // Models write arguments that are no JSON; there is nothing to show then.
    return ''
  }
}
