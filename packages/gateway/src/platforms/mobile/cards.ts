import type { DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import { CLARIFY_OTHER, EXEC_APPROVAL_OPTIONS, SLASH_CONFIRM_OPTIONS } from '@hermes/protocol/mobile/constants.ts'
import type { MobileClientFrame, MobileFrameOf, MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import { shownSubject } from '../../turn/shown-subject.ts'
import type { FaceQuestion } from '../turn-face.ts'

type PromptFrame = MobileFrameOf<MobileServerFrame, 'prompt'>
type PromptDone = MobileFrameOf<MobileServerFrame, 'prompt_done'>
type PromptAnswer = MobileFrameOf<MobileClientFrame, 'prompt'>
type Approval = Extract<DecisionRequest, { kind: 'approval' }>

/** Keys of an approval that confirms a slash command, rather than a command line. */
const slashKey = 'slash:'

/** Longest subject that is shown, UTF-16 units. */
const subjectChars = 3_000

const labels: Readonly<Record<string, string>> = {
  once: 'Allow once',
  session: 'Allow for this session',
  always: 'Always allow',
  deny: 'Deny',
  cancel: 'Cancel',
}

/** The card of a question. */
export function cardOf({ request, sessionKey, timeoutMs }: FaceQuestion, id: string): PromptFrame {
  const frame = { t: 'prompt', id, session: sessionKey, timeout_seconds: Math.ceil(timeoutMs / 1000) } as const
  if (request.kind === 'approval') {
    const kind = isSlashConfirm(request) ? 'slash_confirm' : 'exec_approval'
    const subject = shownSubject(request.subject, subjectChars)
    return { ...frame, kind, text: `${request.reason}:\n${subject}`, options: optionIds(request).map(approvalOption) }
  }
  if (request.kind === 'secret') return { ...frame, kind: 'clarify', text: request.prompt, options: [] }
  const choices = request.choices.map((label, at) => ({ id: `c${at}`, label, style: 'default' }))
  const other = { id: CLARIFY_OTHER, label: 'Other', style: 'default' }
  return { ...frame, kind: 'clarify', text: request.question, options: [...choices, other] }
}

/** What an answer to a card means: a choice, or a text. Undefined where it says nothing, so that the card stays open. */
export function answerOf(
  request: DecisionRequest,
  { option_id: option = '', text = '' }: PromptAnswer,
): string | undefined {
  const chosen = option.trim().toLowerCase()
  if (request.kind === 'approval') {
    const isOffered = optionIds(request).includes(chosen) && chosen !== 'cancel'
    return isOffered ? chosen : 'deny'
  }
  if (request.kind === 'secret') return undefined
  const choice = /^c(\d+)$/.exec(chosen)?.[1]
  const offered = choice === undefined ? undefined : request.choices[Number(choice)]
  return offered ?? (text.trim() === '' ? undefined : text.trim())
}

/** How a card ended; without an answer its turn was stopped. */
export function doneOf(request: DecisionRequest, answer: DecisionAnswer | undefined, id: string): PromptDone {
  const frame = { t: 'prompt_done', id } as const
  if (request.kind === 'approval') {
    const safe = isSlashConfirm(request) ? 'cancel' : 'deny'
    const choice = answer?.kind === 'approval' ? answer.choice : 'unavailable'
    const isExpired = choice === 'timeout' || choice === 'unavailable'
    return { ...frame, option_id: isExpired || choice === 'deny' ? safe : choice, expired: isExpired }
  }
  const said = answer?.kind === 'clarify' ? answer.answer : undefined
  if (said === undefined || request.kind !== 'clarify') return { ...frame, expired: true }
  const at = request.choices.indexOf(said)
  return { ...frame, option_id: at < 0 ? CLARIFY_OTHER : `c${at}`, expired: false }
}

function isSlashConfirm({ keys }: Approval): boolean {
  return keys.some((key) => key.startsWith(slashKey))
}

/** Ids of what the question offers, as its kind of card names them. */
function optionIds(request: Approval): readonly string[] {
  const offered: readonly string[] = request.choices
  return isSlashConfirm(request)
    ? SLASH_CONFIRM_OPTIONS.filter((id) => id === 'cancel' || offered.includes(id))
    : EXEC_APPROVAL_OPTIONS.filter((id) => id === 'deny' || offered.includes(id))
}

function approvalOption(id: string): PromptFrame['options'][number] {
  const style = id === 'deny' || id === 'cancel' ? 'danger' : id === 'once' ? 'primary' : 'default'
  return { id, label: labels[id] ?? id, style }
}
