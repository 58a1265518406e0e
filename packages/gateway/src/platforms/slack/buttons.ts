import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import type { Button, ChatRef } from '../../messages/outbound-message.ts'
import { splitText } from '../../deliver/split-text.ts'
import { blockRoom, mrkdwnLength, toMrkdwn } from './mrkdwn.ts'

/** Limits of Block Kit: https://docs.slack.dev/reference/block-kit/blocks */
const maxSection = 3_000
const maxSections = 4
const maxLabel = 75
const maxButtons = 25

/** Longest value of a button, less what tells its chat. */
export const maxButtonData = 1_800

/** What a button brings back: its data, and the chat as it was sent to. */
const buttonValue = lazily(() =>
  z.looseObject({
    d: z.string(),
    t: z.enum(['dm', 'group', 'channel', 'thread']),
    h: z.string().optional(),
  }),
)

/** A message with buttons in Block Kit. */
export function toBlocks(text: string, buttons: readonly Button[], { chatType, threadId }: ChatRef) {
  const parts = splitText(text, { maxLength: maxSection - blockRoom, lengthOf: mrkdwnLength }).slice(0, maxSections)
  const sections = parts.map((part) => ({ type: 'section', text: { type: 'mrkdwn', text: toMrkdwn(part) } }) as const)
  const elements = buttons.slice(0, maxButtons).map(
    ({ label, data }, at) =>
      ({
        type: 'button',
        action_id: `hermes_${at}`,
        text: { type: 'plain_text', text: shortLabel(label) },
        value: JSON.stringify({ d: data, t: chatType, ...(threadId !== undefined && { h: threadId }) }),
      }) as const,
  )
  return [...sections, { type: 'actions', elements } as const]
}

/** Undefined where it is none of ours. */
export function readButtonValue(value: string) {
  try {
    const parsed = buttonValue().safeParse(JSON.parse(value))
    if (!parsed.success) return undefined
    const { d: data, t: chatType, h: threadId } = parsed.data
    return { data, chatType, threadId }
  } catch {
    return undefined
  }
}

function shortLabel(label: string): string {
  const text = label.trim() || '–'
  return text.length <= maxLabel ? text : `${text.slice(0, maxLabel - 1).toWellFormed()}…`
}
