import { redactStream } from '../security/redact-stream.ts'
import type { RedactStream } from '../security/redact-stream.ts'
import type { Redactor } from '../security/redact.ts'
import type { TurnEvent } from './events.ts'

type Emit = (event: TurnEvent) => Promise<void> | undefined

/** Deltas that come faster than this, ms, are looked at together: each look costs about as much as the rest of a delta. */
const togetherMs = 16
const togetherChars = 1024

/**
 * Hides secrets in what a model says before a face gets it; the session keeps what it said. Of an answer that streams,
 * the last word is held back until it is whole.
 */
export function redactingEvents(emit: Emit, redactor: Redactor): Emit {
  let text: RedactStream | undefined
  let reasoning: RedactStream | undefined

  const waiting = { 'text-delta': '', 'reasoning-delta': '' }
  let lastMs = 0
  let timer: NodeJS.Timeout | undefined
  let lastWhole = ''
  let lastHidden = ''

  const show = (type: 'text-delta' | 'reasoning-delta', shown: string | undefined) =>
    shown ? emit({ type, text: shown }) : undefined
  const look = () => {
    clearTimeout(timer)
    timer = undefined
    const { 'reasoning-delta': thought, 'text-delta': said } = waiting
    forget()
    const shownThought = thought && (reasoning ??= redactStream(redactor)).push(thought)
    const shownText = said && (text ??= redactStream(redactor)).push(said)
    const room = show('reasoning-delta', shownThought)
    return show('text-delta', shownText) ?? room
  }
  const forget = () => {
    waiting['text-delta'] = waiting['reasoning-delta'] = ''
  }
  const take = (type: keyof typeof waiting, more: string) => {
    const now = performance.now()
    waiting[type] += more
    if (now - lastMs < togetherMs && waiting[type].length < togetherChars) {
      timer ??= setTimeout(() => void look(), togetherMs).unref()
      return undefined
    }
    lastMs = now
    return look()
  }
  /** A turn mostly ends with its last answer, which was looked at already. */
  const hidden = (whole: string): string => {
    if (whole !== lastWhole) lastHidden = redactor.redact(whole)
    lastWhole = whole
    return lastHidden
  }
  /** Lets go of what was held back, at the end of an answer. */
  const endStreams = async () => {
    await look()
    const [thought, said] = [reasoning?.end(), text?.end()]
    reasoning = text = undefined
    const room = show('reasoning-delta', thought)
    return show('text-delta', said) ?? room
  }
  const afterStreams = async (event: TurnEvent) => {
    await endStreams()
    await emit(event)
  }

  return (event) => {
    switch (event.type) {
      case 'text-delta':
        return take('text-delta', event.text)
      case 'reasoning-delta':
        return take('reasoning-delta', event.text)
      case 'answer-reset':
        forget()
        reasoning = text = undefined
        return emit(event)
      case 'answer-end':
      case 'turn-end':
        return afterStreams({ ...event, text: hidden(event.text) })
      default:
        return emit(event)
    }
  }
}
