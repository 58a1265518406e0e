import type { ChatRef } from '../messages/outbound-message.ts'
import { PlatformError } from '../platforms/platform-error.ts'
import type { Connection, EditOptions } from '../platforms/platform.ts'
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
  /** What is sent again within one call is one more. */
  const againIn = (chat: ChatRef, signal: AbortSignal, { again }: EditOptions = {}) => {
    return async () => {
      budget.over(chat)
      await (again ? again() : budget.take(chat, 'final', signal))
    }
  }
  const change = buttons?.change?.bind(buttons)
  const remove = editing?.remove?.bind(editing)
  return {
    ...connection,
    send: (to, part, options, signal) =>
      noted(to, connection.send(to, part, { ...options, again: againIn(to, signal) }, signal)),
    ...(editing && {
      editing: {
        edit: (message, text, signal, how) =>
          noted(message.chat, editing.edit(message, text, signal, { again: againIn(message.chat, signal, how) })),
        ...(remove && { remove: (message, ...rest) => noted(message.chat, remove(message, ...rest)) }),
      },
    }),
    ...(typing && { typing: { ...typing, show: (chat, signal) => noted(chat, typing.show(chat, signal)) } }),
    ...(reactions && { reactions: { react: (chat, ...rest) => noted(chat, reactions.react(chat, ...rest)) } }),
    ...(buttons && {
      buttons: {
        ...buttons,
        close: (message, text, signal, how) =>
          noted(message.chat, buttons.close(message, text, signal, { again: againIn(message.chat, signal, how) })),
        ...(change && {
          change: (message, text, those, signal, how) =>
            noted(message.chat, change(message, text, those, signal, { again: againIn(message.chat, signal, how) })),
        }),
      },
    }),
  }
}
