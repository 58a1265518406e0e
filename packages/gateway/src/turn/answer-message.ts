import type { AgentContext } from '@hermes/core/agent/context.ts'
import { splitText } from '../deliver/split-text.ts'
import { gatewayStops } from '../lanes/lanes.ts'
import { createTurnView } from '../display/turn-view.ts'
import type { ChatRef, SentRef } from '../messages/outbound-message.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'
import type { Platform } from '../platforms/platform.ts'
import type { ChatSessions } from '../sessions/chat-sessions.ts'
import type { Inbox, InboxEntry } from '../store/inbox.ts'
import type { Outgoing } from '../store/outbox.ts'
import { decisionButtons, decisionText } from './decision-text.ts'
import type { Decisions, OpenDecision } from './decisions.ts'
import { runChatTurn } from './run-chat-turn.ts'
import type { ChatTurnResult } from './run-chat-turn.ts'
import { showTyping } from './typing.ts'

export interface AnswerOptions {
  readonly entry: InboxEntry
  readonly agent: AgentContext
  readonly inbox: Inbox
  readonly sessions: ChatSessions
  readonly decisions: Decisions
  readonly platform: Platform | undefined
  readonly live: LiveConnection | undefined
  /** Something was queued for a platform. */
  readonly wake: (platform: string) => void
}

const plain = { maxLength: 4_000 }

/**
 * Answers one message: runs its turn and queues what is said, in one step with noting that it is dealt with. A turn that
 * the gateway's own end stops stays open and goes on after the next start.
 */
export async function answerMessage(options: AnswerOptions, signal: AbortSignal): Promise<void> {
  const { entry, agent, inbox, sessions, decisions, platform, live, wake } = options
  const { message, sessionKey } = entry
  const chat = chatRefOf(entry)
  const current = entry.begun
    ? { sessionId: entry.begun.sessionId }
    : await sessions.forMessage(sessionKey, message.source)
  if (!entry.begun) {
    const before = (await agent.sessions.get(current.sessionId))?.messageCount ?? 0
    await inbox.begin(entry.id, current.sessionId, before)
  }
  const typing = live && showTyping(live, chat, agent.log)
  const view = createTurnView({
    live,
    chat,
    limits: platform?.limits ?? plain,
    config: agent.config,
    log: agent.log,
    key: `view:${entry.id}`,
    ...(message.messageId !== undefined && { replyTo: message.messageId }),
  })
  try {
    const result = await runChatTurn(
      {
        entry,
        sessionId: current.sessionId,
        promptHint: platform?.promptHint ?? '',
        decide: decisions.decideFor(sessionKey, (open) => showDecision(open, chat, options, signal)),
        onEvent: (event) => view.onEvent(event),
      },
      agent,
      signal,
    )
    const shown = await view.end({ isCut: result.status === 'cancelled' })
    if (result.sessionId !== current.sessionId) await sessions.moveTo(sessionKey, result.sessionId, message.source)
    if (result.status === 'cancelled' && isOwnEnd(signal)) return
    const isInterrupted = result.status === 'cancelled'
    await inbox.end(
      [entry.id],
      isInterrupted ? 'refused' : endOf(result),
      isInterrupted ? [] : replies(result, shown, options),
    )
    wake(chat.platform)
  } finally {
    typing?.stop()
  }
}

function endOf({ status, text }: ChatTurnResult): 'answered' | 'failed' {
  return status === 'failed' && text === '' ? 'failed' : 'answered'
}

/** What the chat is told, in messages that its platform takes. */
function replies(
  result: ChatTurnResult,
  shown: SentRef | undefined,
  { entry, platform, agent }: AnswerOptions,
): readonly Outgoing[] {
  const notice = result.notice === undefined ? [] : [`⚠️ ${result.notice}`]
  const whole = [result.text.trim(), ...notice].filter((part) => part !== '').join('\n\n')
  const texts = splitText(agent.redactor.redact(whole), platform?.limits ?? plain)
  const { messageId } = entry.message
  return texts.map((text, at) => ({
    key: `reply:${entry.id}:${at}`,
    chat: chatRefOf(entry),
    part: { type: 'text', text },
    ...(at === 0 && messageId !== undefined && { replyTo: messageId }),
    ...(at === 0 && shown && { editOf: shown.messageId }),
  }))
}

/** Brings a question to the chat, past the queue: a turn waits for its answer. */
async function showDecision(
  open: OpenDecision,
  chat: ChatRef,
  { live }: AnswerOptions,
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

function chatRefOf({ message }: InboxEntry): ChatRef {
  const { platform, chatId, chatType, threadId } = message.source
  return { platform, chatId, chatType, ...(threadId !== undefined && { threadId }) }
}

function isOwnEnd(signal: AbortSignal): boolean {
  return signal.reason instanceof Error && signal.reason.message === gatewayStops
}
