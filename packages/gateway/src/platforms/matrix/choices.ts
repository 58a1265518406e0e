import type { Button, ChatRef } from '../../messages/outbound-message.ts'

/** Questions of ours that people answer by a reaction or by its number. Matrix has no buttons. */
export interface Choices {
  /** Notes that a message asks. */
  open(messageId: string, chat: ChatRef, buttons: readonly Button[]): void
  close(messageId: string): void
  /** What a reaction to a message of ours chooses. */
  byReaction(messageId: string, key: string): Choice | undefined
  /** What a text chooses of the newest question in its place. */
  byText(chat: ChatRef, text: string): Choice | undefined
}

export interface Choice {
  readonly chat: ChatRef
  readonly data: string
}

/** Questions that are remembered. */
const maxOpen = 100

/** Signs that stand for the first, second … button. */
export const signs = ['1️⃣', '2️⃣', '3️⃣', '4️⃣', '5️⃣', '6️⃣', '7️⃣', '8️⃣', '9️⃣'] as const

export function createChoices(): Choices {
  const questions = new Map<string, { readonly chat: ChatRef; readonly buttons: readonly Button[] }>()
  return {
    open(messageId, chat, buttons) {
      questions.set(messageId, { chat, buttons })
      const [oldest] = questions.keys()
      if (questions.size > maxOpen && oldest !== undefined) questions.delete(oldest)
    },
    close: (messageId) => void questions.delete(messageId),
    byReaction(messageId, key) {
      const asked = questions.get(messageId)
      // Some apps leave out what makes a digit an emoji.
      const at = signs.findIndex((sign) => plain(sign) === plain(key))
      const data = asked?.buttons[at]?.data
      return asked && data !== undefined ? { chat: asked.chat, data } : undefined
    },
    byText(chat, text) {
      const said = plain(text).toLowerCase()
      for (const { chat: place, buttons } of [...questions.values()].toReversed()) {
        if (place.chatId !== chat.chatId || place.threadId !== chat.threadId) continue
        const found = buttons.find(({ label }, at) => said === String(at + 1) || said === plain(label).toLowerCase())
        return found && { chat: place, data: found.data }
      }
      return undefined
    },
  }
}

function plain(text: string): string {
  return text.replaceAll(/[\uFE0F\u20E3]/gu, '').trim()
}

/** The choices below a question. */
export function legend(buttons: readonly Button[], canReact: boolean): string {
  const lines = buttons.slice(0, signs.length).map(({ label }, at) => `${signs[at]} ${label}`)
  return `${lines.join('  \n')}\n\n_Answer with the number${canReact ? ', or with a reaction' : ''}._`
}
