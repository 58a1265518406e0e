import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Decide } from '@hermes/core/agent/decision.ts'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import type { TurnRequest } from '@hermes/core/agent/turn.ts'
import type { ReasoningEffort } from '@hermes/core/models/model.ts'
import type { InboundAttachment } from '../messages/inbound-message.ts'
import type { InboxEntry } from '../store/inbox.ts'
import { inboundContent } from './inbound-content.ts'
import { messageText } from './message-text.ts'
import { placeSkills } from './place-skills.ts'
import { shownImages } from './shown-images.ts'

export interface ChatTurn {
  readonly entry: InboxEntry
  readonly sessionId: string
  readonly promptHint: string
  /** What the agent is told of the chat. */
  readonly place?: string
  /** The chat's own model. */
  readonly model?: string
  readonly reasoningEffort?: ReasoningEffort
  readonly takeSteering?: () => readonly string[]
  /** Of earlier messages, whose turns were cut short, and of this one. */
  readonly images: readonly InboundAttachment[]
  readonly decide: Decide
  readonly onEvent: (event: NumberedEvent) => void
  /** Aborts where the message is not to be read any more; a newer one, which is answered with it, aborts the turn alone. */
  readonly ending: AbortSignal
}

/** What a turn came to, for its chat. */
export interface ChatTurnResult {
  readonly status: 'completed' | 'incomplete' | 'cancelled' | 'failed'
  readonly text: string
  /** Why it did not complete, and what to do. */
  readonly notice?: string
  /** Another one after a compaction. */
  readonly sessionId: string
}

/** Said to the model in place of a message whose turn a crash has interrupted. */
export const interrupted =
  '[The process was restarted while you worked on my last message. Go on with it: look first at what has been done, since something may have happened without its result being stored.]'

/**
 * Runs the turn of a message. One that a crash interrupted goes on where it was: an answer that was there already is not
 * made anew, and what was begun is not begun again.
 */
export async function runChatTurn(turn: ChatTurn, agent: AgentContext, signal: AbortSignal): Promise<ChatTurnResult> {
  const left = await leftOver(turn, agent)
  if (left?.answer !== undefined) return { status: 'completed', text: left.answer, sessionId: left.sessionId }
  const request = await requestOf(turn, { left, agent }, signal)
  let sessionId = request.session.id
  let end: Extract<NumberedEvent, { type: 'turn-end' }> | undefined
  const isElsewhere = agent.config.gateway.proxy_url.trim() !== ''
  const run = isElsewhere ? (await import('./proxy-turn.ts')).runProxyTurn : runTurn
  for await (const event of run(request, agent, signal)) {
    if (event.type === 'compaction') sessionId = event.sessionId
    if (event.type === 'turn-end') end = event
    turn.onEvent(event)
  }
  const notice = end?.failure?.message
  return { status: end?.status ?? 'failed', text: end?.text ?? '', sessionId, ...(notice !== undefined && { notice }) }
}

interface LeftOver {
  /** The session that the conversation is in now. */
  readonly sessionId: string
  /** The answer, where it was there already. */
  readonly answer?: string
}

/** How far a turn came that another process began. Undefined where it had not stored the message yet. */
async function leftOver({ entry }: ChatTurn, { sessions }: AgentContext): Promise<LeftOver | undefined> {
  const { begun } = entry
  if (!begun) return undefined
  const current = (await sessions.carriedOnBy(begun.sessionId))?.id ?? begun.sessionId
  const messages = (await sessions.get(current)) ? await sessions.messages(current) : []
  // A compaction has replaced what was there before.
  const since = current === begun.sessionId ? messages.slice(begun.messagesBefore) : messages
  if (since.length === 0) return undefined
  const last = since.at(-1)?.message
  const isAnswer = last?.role === 'assistant' && last.toolCalls.length === 0 && last.finishReason !== 'interrupted'
  return { sessionId: current, ...(isAnswer && last.content.trim() !== '' && { answer: last.content }) }
}

async function requestOf(
  turn: ChatTurn,
  { left, agent }: { readonly left: LeftOver | undefined; readonly agent: AgentContext },
  signal: AbortSignal,
): Promise<TurnRequest> {
  const { entry, promptHint, place, decide, model, reasoningEffort, takeSteering } = turn
  const { message } = entry
  const { source } = message
  const said = left
    ? { text: interrupted, typedLength: 0 }
    : messageText(message, [
        ...(await inboundContent(message, agent, turn.ending)),
        ...(await placeSkills(message, turn.sessionId, agent)),
      ])
  const images = await shownImages({ images: turn.images, text: message.text, model }, agent, signal)
  const { platform, chatId, chatName, threadId } = source
  return {
    session: {
      id: left?.sessionId ?? turn.sessionId,
      source: platform,
      ...(source.userId !== undefined && { userId: source.userId }),
    },
    message: { ...said, ...(images.length > 0 && { images }) },
    face: {
      name: platform,
      promptHint,
      ...(place !== undefined && { place }),
      decide,
      isLasting: true,
      voiceFormat: 'opus',
      chat: {
        platform,
        chatId,
        ...(chatName !== undefined && { chatName }),
        ...(threadId !== undefined && { threadId }),
      },
    },
    ...(model !== undefined && { model }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(takeSteering && { takeSteering }),
  }
}
