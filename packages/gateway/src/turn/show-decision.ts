import type { ChatRef } from '../messages/outbound-message.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'
import { decisionButtons, decisionText } from './decision-text.ts'
import type { OpenDecision } from './decisions.ts'

/** Brings a question to the chat, past the queue: a turn waits for its answer. Throws where nothing is connected. */
export async function showDecision(
  open: OpenDecision,
  { chat, live }: { readonly chat: ChatRef; readonly live: LiveConnection | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (!live) throw new Error('not connected')
  const { connection, budget } = live
  const buttons = connection.buttons ? decisionButtons(open) : []
  const text = decisionText(open, buttons.length > 0)
  await budget.take(chat, 'final', signal)
  const part = { type: 'text', text, ...(buttons.length > 0 && { buttons }) } as const
  await connection.send(chat, part, { key: `decision:${open.id}:${Date.now()}` }, signal)
}
