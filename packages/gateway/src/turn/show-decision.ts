import type { Decide, DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import { unanswered } from '@hermes/core/agent/decision.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { ChatRef, SentRef } from '../messages/outbound-message.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'
import type { FaceQuestion } from '../platforms/turn-face.ts'
import { decisionButtons, decisionText, outcomeText } from './decision-text.ts'
import type { AskedElsewhere, Decisions, OpenDecision } from './decisions.ts'

/** The chat whose turn asks. */
export interface AskingChat {
  readonly sessionKey: string
  readonly chat: ChatRef
  /** What a platform can be used by now. */
  readonly connectionOf: (platform: string) => LiveConnection | undefined
  readonly log: Logger
}

/** Where a question is asked. */
interface AskingPlace extends AskingChat {
  readonly live: LiveConnection | undefined
  readonly elsewhere?: AskedElsewhere
}

/** Longest that the end of a question may wait to be shown, ms. */
const closeMs = 60_000

/** A turn's way to ask the people of a chat: with buttons where it has them, which go when it is decided. */
export function askInChat(decisions: Decisions, chat: AskingChat, signal: AbortSignal): Decide {
  return async (asked, asking) => {
    const place = await placeFor(chat)
    if (!place) return unanswered(asked, 'unavailable')
    const request = place.elsewhere ? requestOf(asked, place.elsewhere) : asked
    // Whoever reads that chat writes there to somebody else.
    if (!request) return unanswered(asked, 'unavailable')
    return askAt(place, decisions, signal)(request, asking)
  }
}

/** The chat itself, or the one that its connection names. Undefined where nobody reads either. */
async function placeFor(chat: AskingChat): Promise<AskingPlace | undefined> {
  const live = chat.connectionOf(chat.chat.platform)
  const { asksElsewhere } = live?.connection ?? {}
  if (!asksElsewhere) return { ...chat, live }
  const elsewhere = await asksElsewhere(chat.chat)
  if (!elsewhere) return undefined
  return { ...chat, chat: elsewhere.chat, live: chat.connectionOf(elsewhere.chat.platform), elsewhere }
}

/** An approval that says who asks for it. Undefined for what is asked in its own chat alone. */
function requestOf(request: DecisionRequest, { by }: AskedElsewhere): DecisionRequest | undefined {
  return request.kind === 'approval' ? { ...request, reason: `${by} asks: ${request.reason}` } : undefined
}

function askAt(place: AskingPlace, decisions: Decisions, signal: AbortSignal): Decide {
  return async (request, asking) => {
    let card: Promise<SentRef | undefined> = Promise.resolve(undefined)
    let asked: OpenDecision | undefined
    const face = place.live?.connection.face
    const over = new AbortController()
    const question = (open: OpenDecision): FaceQuestion => {
      const { chat, sessionKey } = place
      return { ...open, chat, sessionKey, timeoutMs: decisions.timeoutMs }
    }
    const show = async (open: OpenDecision) => {
      asked = open
      if (face) return face.ask(question(open), signal)
      card = showDecision(open, place, { signal, over: over.signal })
      await card
    }
    const decide = decisions.decideFor(place.sessionKey, show, place.elsewhere)
    let answer: DecisionAnswer | undefined
    try {
      answer = await decide(request, asking)
      return answer
    } finally {
      over.abort(new DOMException('It is decided.', 'AbortError'))
      if (asked && face) face.asked(question(asked), answer)
      else if (asked) void closeCard(card, `${decisionText(asked, true)}\n\n${outcomeText(answer)}`, place)
    }
  }
}

/** Brings a question past the queue: a turn waits for its answer. Resolves to what has buttons; throws where nothing is connected. */
async function showDecision(
  open: OpenDecision,
  { chat, live }: AskingPlace,
  { signal, over }: { readonly signal: AbortSignal; readonly over: AbortSignal },
): Promise<SentRef | undefined> {
  if (!live) throw new Error('not connected')
  const { connection, budget } = live
  const buttons = connection.buttons ? decisionButtons(open) : []
  const text = decisionText(open, buttons.length > 0)
  const part = { type: 'text', text, ...(buttons.length > 0 && { buttons }) } as const
  for (;;) {
    // What is decided meanwhile is not asked any more.
    await budget.take(chat, 'final', AbortSignal.any([signal, over]))
    try {
      const sent = await connection.send(chat, part, { key: `decision:${open.id}` }, signal)
      return buttons.length > 0 ? sent : undefined
    } catch (error) {
      if (!(error instanceof PlatformError) || error.code !== 'rate-limited') throw error
    }
  }
}

async function closeCard(
  card: Promise<SentRef | undefined>,
  text: string,
  { chat, live, log }: AskingPlace,
): Promise<void> {
  try {
    const message = await card
    if (!message || !live?.connection.buttons) return
    const signal = AbortSignal.timeout(closeMs)
    await live.budget.take(chat, 'final', signal)
    await live.connection.buttons.close(message, text, signal)
  } catch (error) {
    log.debug({ error: String(error) }, 'the buttons of a question stay')
  }
}
