import type { DecisionAnswer } from '@hermes/core/agent/decision.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { MobileClientFrame, MobileFrameOf } from '@hermes/protocol/mobile/types.ts'
import type { Decisions } from '../../turn/decisions.ts'
import type { FaceQuestion } from '../turn-face.ts'
import { answerOf, cardOf, doneOf } from './cards.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { Devices } from './devices.ts'
import { newId } from './say.ts'

/** What an answer came to: `taken`, on a card that is not open, or saying nothing. */
export type CardAnswer = 'taken' | 'closed' | 'empty'

/** Questions of running turns as cards of their devices. A device that is away gets its open ones when it comes. */
export interface AskCards {
  ask(question: FaceQuestion): Promise<void>
  asked(question: FaceQuestion, answer: DecisionAnswer | undefined): void
  /** A device answers a card: the first answer wins. */
  answer(deviceId: string, frame: MobileFrameOf<MobileClientFrame, 'prompt'>): CardAnswer
}

export interface AskCardsOptions {
  readonly devices: Devices
  readonly log: DeliveryLog
  readonly decisions: Decisions
  readonly logger: Logger
}

export function createAskCards({ devices, log, decisions, logger }: AskCardsOptions): AskCards {
  /** By the card's id. `Decisions` bounds how many are open. */
  const open = new Map<string, FaceQuestion>()
  const shown = new Map<string, Promise<unknown>>()

  return {
    async ask(question) {
      const id = newId()
      const deviceId = question.chat.chatId
      open.set(id, question)
      const kept = log.append(deviceId, [{ kind: 'prompt', frame: cardOf(question, id) }])
      shown.set(id, kept)
      await kept
      devices.wake(deviceId)
    },
    asked(question, answer) {
      const found = open.entries().find(([, { id }]) => id === question.id)
      if (!found) return
      const [id] = found
      const deviceId = question.chat.chatId
      open.delete(id)
      const kept = shown.get(id)
      shown.delete(id)
      const close = async () => {
        await kept
        await log.closePrompt(deviceId, doneOf(question.request, answer, id))
        devices.wake(deviceId)
      }
      close().catch((error: unknown) => logger.error({ error: String(error) }, 'a card is not closed on its device'))
    },
    answer(deviceId, frame) {
      const question = open.get(frame.prompt_id)
      if (!question || question.chat.chatId !== deviceId) return 'closed'
      const said = answerOf(question.request, frame)
      if (said === undefined) return 'empty'
      return decisions.answer(question.sessionKey, question.id, said) ? 'taken' : 'closed'
    },
  }
}
