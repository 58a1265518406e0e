import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { ChatRef, SentRef } from '../messages/outbound-message.ts'
import type { LiveConnection } from '../platforms/platform-runner.ts'
import type { MessageLimits } from '../platforms/platform.ts'
import { splitBeginning } from '../deliver/split-text.ts'
import { chatDisplay } from './chat-display.ts'
import { createLiveMessage } from './live-message.ts'
import { visibleText } from '../turn/deliverables.ts'
import type { LiveMessage } from './live-message.ts'
import { createProgressLines } from './progress-lines.ts'

/** Shortest time between two edits of the tool calls, ms. */
const progressMs = 1_500

/** Longest that a message between tool calls is waited for, ms. */
const settleMs = 10_000

/** Fewer characters are no message yet. */
const leastChars = 4

export interface TurnViewOptions {
  readonly live: LiveConnection | undefined
  readonly chat: ChatRef
  readonly limits: MessageLimits
  readonly config: Config
  readonly log: Logger
  /** Unique to the turn. */
  readonly key: string
  readonly replyTo?: string
  /** Our message that the answer was growing in when an earlier process ended: it goes on there. */
  readonly draft?: SentRef
  /** The answer now grows in this message of ours, or in none. */
  readonly onDraft?: (message: SentRef | undefined) => Promise<void>
}

/** What a chat sees of a turn while it runs: tool calls, what is said between them, the answer as it comes. */
export interface TurnView {
  onEvent(event: NumberedEvent): void
  /**
   * The turn is over. Resolves to the message that holds the answer so far, to be given its final text; where the turn
   * was cut short, that message is left as it is, without its mark.
   */
  end(how: { readonly isCut: boolean }): Promise<SentRef | undefined>
}

export function createTurnView(options: TurnViewOptions): TurnView {
  const { live, chat, limits, config, log, key, replyTo, onDraft } = options
  const display = chatDisplay(config, chat.platform)
  const canEdit = live?.connection.editing !== undefined
  const lines = createProgressLines(display)
  const intervalMs = config.streaming.edit_interval * 1000
  let answers = 0
  let draft = options.draft
  let text = ''
  let answer: LiveMessage | undefined
  let progress: LiveMessage | undefined
  let ending: Promise<unknown> = Promise.resolve()
  let noted = options.draft?.messageId
  let noting: Promise<unknown> = Promise.resolve()

  const onFailure = (error: unknown) => log.warn({ chat: chat.platform, error: String(error) }, 'progress is not shown')
  const note = (message?: SentRef) => {
    noted = message?.messageId
    noting = Promise.all([noting, onDraft?.(message)])
  }
  const open = (part: string, interval: number, reply: boolean): LiveMessage | undefined => {
    if (!live || !canEdit) return undefined
    const messageKey = `${key}:${part}:${Date.now()}`
    const to = reply && replyTo !== undefined ? { replyTo } : {}
    const grows = reply
      ? {
          worthwhile: config.streaming.buffer_threshold,
          ...(draft && { present: draft }),
          onSent: note,
        }
      : {}
    return createLiveMessage({ live, chat, intervalMs: interval, key: messageKey, onFailure, ...to, ...grows })
  }
  const lengthOf = limits.lengthOf ?? ((value: string) => value.length)
  const room = Math.max(100, limits.maxLength - config.streaming.cursor.length - 100)
  /** What fits into one message with its mark: the rest comes with the final text. */
  const shown = () => {
    const visible = visibleText(text)
    return visible.trim().length < leastChars || lengthOf(visible) > room
      ? undefined
      : visible + config.streaming.cursor
  }

  function growAnswer(delta: string): void {
    text += delta
    // To look through all of a long one for each word would take the square of its length.
    if (!display.streaming || text.length > 4 * room || text.trim().length < leastChars) return
    const now = shown()
    if (now === undefined) return
    answer ??= open(`answer${++answers}`, intervalMs, true)
    if (answer) draft = undefined
    answer?.show(now)
  }

  /** What was said before tool calls stays as a message of its own. */
  function endInterim(): void {
    const [said, present] = [visibleText(text).trim(), answer]
    text = ''
    answer = undefined
    if (present) ending = Promise.all([ending, forget(present)])
    if (said !== '' && (present || (display.interim && canEdit))) ending = Promise.all([ending, settle(present, said)])
  }

  /** It is no answer: no other text may take its place after a crash. */
  async function forget(interim: LiveMessage): Promise<void> {
    const sent = await interim.end()
    if (sent && sent.message.messageId === noted) note()
  }

  /** What was said gets a message of its own, or the one that it grew in, without its mark. */
  async function settle(present: LiveMessage | undefined, said: string): Promise<void> {
    const sent = await present?.end()
    if (!live || (!sent && !display.interim)) return
    const signal = AbortSignal.timeout(settleMs)
    const [fitting = said] = splitBeginning(said, limits, { most: 1, note: '…' }).parts
    try {
      await live.budget.take(chat, 'final', signal)
      if (sent) await live.connection.editing?.edit(sent.message, fitting, signal)
      else
        await live.connection.send(
          chat,
          { type: 'text', text: fitting },
          { key: `${key}:said:${++answers}:${Date.now()}` },
          signal,
        )
    } catch (error) {
      onFailure(error)
    }
  }

  return {
    onEvent(event) {
      if (event.type === 'text-delta') growAnswer(event.text)
      if (event.type === 'answer-reset') {
        text = ''
      }
      if (event.type === 'answer-end' && event.toolCalls > 0) endInterim()
      if (event.type === 'tool-start' && lines.add(event)) {
        progress ??= open('tools', progressMs, false)
        progress?.show(lines.text(limits))
      }
    },
    async end({ isCut }) {
      await progress?.end()
      const sent = await answer?.end()
      await ending
      await noting
      if (!isCut) return sent?.message ?? draft
      if (sent) await settle(endedMessage(sent), `${visibleText(text).trim()} …`)
      return undefined
    },
  }
}

/** A message that nothing is added to any more. */
function endedMessage(sent: Awaited<ReturnType<LiveMessage['end']>>): LiveMessage {
  return { show: () => {}, end: async () => sent }
}
