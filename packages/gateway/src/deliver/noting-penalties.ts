import type { ChatRef } from '../messages/outbound-message.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import type { Connection } from '../platforms/platform.ts'
import type { RateBudget } from './rate-budget.ts'

/** A service that does not say how long it wants no calls, ms. */
const unnamedMs = 1_000

/**
 * The connection, whose every call counts in the budget of its chat until it is over, and whose every refused one closes
 * that for as long as the service says.
 */
export function notingPenalties(connection: Connection, budget: RateBudget): Connection {
  const { editing, typing, reactions, buttons } = connection
  const noted = async <T>(chat: ChatRef, call: Promise<T>): Promise<T> => {
    try {
      return await call
    } catch (error) {
      if (error instanceof PlatformError && error.code === 'rate-limited') {
        budget.penalty(error.retryAfterMs ?? unnamedMs, chat)
      }
      throw error
    } finally {
      budget.over(chat)
    }
  }
  const change = buttons?.change?.bind(buttons)
  const remove = editing?.remove?.bind(editing)
  return {
    ...connection,
    send: (to, part, options, signal) => {
      const again = () => {
        budget.over(to)
        return budget.take(to, 'final', signal)
      }
      return noted(to, connection.send(to, part, { ...options, again }, signal))
    },
    ...(editing && {
      editing: {
        edit: (message, ...rest) => noted(message.chat, editing.edit(message, ...rest)),
        ...(remove && { remove: (message, ...rest) => noted(message.chat, remove(message, ...rest)) }),
      },
    }),
    ...(typing && { typing: { ...typing, show: (chat, signal) => noted(chat, typing.show(chat, signal)) } }),
    ...(reactions && { reactions: { react: (chat, ...rest) => noted(chat, reactions.react(chat, ...rest)) } }),
    ...(buttons && {
      buttons: {
        ...buttons,
        close: (message, ...rest) => noted(message.chat, buttons.close(message, ...rest)),
        ...(change && { change: (message, ...rest) => noted(message.chat, change(message, ...rest)) }),
      },
    }),
  }
}
