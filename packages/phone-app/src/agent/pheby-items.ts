import type { PhebyAttachment, PhebyEvent, PhebyOf } from '@hermes/sdk/pheby'
import type { ChatItem } from './chat-item.ts'

export type EventOf<Type extends PhebyEvent['type']> = PhebyOf<PhebyEvent, Type>

/** How an approval ended. */
export const outcomes = {
  once: 'Allowed once',
  session: 'Allowed in this conversation',
  always: 'Always allowed',
  deny: 'Denied',
} as const

const labels = {
  once: 'Allow once',
  session: 'Allow in this conversation',
  always: 'Always allow',
  deny: 'Deny',
} as const
const styles = { once: 'primary', session: 'default', always: 'default', deny: 'danger' } as const

export function fileOf(attachment: PhebyAttachment, load: () => Promise<Blob>): ChatItem {
  const { attachment_id: id, filename: name, mime_type: mime, size, kind } = attachment
  const shown = kind === 'voice' ? 'audio' : kind
  return { type: 'file', id, from: 'agent', kind: shown, name, mime, caption: '', size, load }
}

export function approvalOf(event: EventOf<'approval.request'>): ChatItem {
  const { approval_id: id, command, description: text, choices } = event
  const options = choices.map((choice) => ({ id: choice, label: labels[choice], style: styles[choice] }))
  return { type: 'card', id, kind: 'approval', text, command, options, takesText: false }
}

/** What a button of such a card stands for. */
export function approvalChoice(optionId: string | undefined): keyof typeof outcomes {
  return optionId === 'once' || optionId === 'session' || optionId === 'always' ? optionId : 'deny'
}

export function questionOf({ clarify_id: id, question: text, choices }: EventOf<'clarify.request'>): ChatItem {
  const options = (choices ?? []).map((choice) => ({ id: choice, label: choice, style: 'default' as const }))
  return { type: 'card', id, kind: 'question', text, options, takesText: true }
}

/** `before`: how it was shown, since only the first event of a call tells what it was called with. */
export function toolOf(event: EventOf<'tool.event'>, before: ChatItem | undefined): ChatItem {
  const { tool_call_id: id, tool_name: name, status, args_redacted: args, error } = event
  const calledWith = args ? JSON.stringify(args).slice(0, 200) : before?.type === 'tool' ? before.detail : ''
  const detail = error === undefined ? calledWith : `${calledWith}\n${error}`.trim()
  return { type: 'tool', id, name, status, detail }
}
