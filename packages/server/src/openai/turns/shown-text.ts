import type { TurnEvent } from '@hermes/core/agent/events.ts'

/** A turn's text for those who cannot take anything back: what was sent once stays. */
export interface ShownText {
  /** The text to show after this event, beyond what was shown. */
  push(event: TurnEvent): string
  /** All that was shown. */
  readonly text: string
}

const gap = '\n\n'

/**
 * The answers of a turn stand apart by an empty line. When an answer begins anew (`answer-reset`), what it repeats of the
 * text before is not shown twice; from where it differs on it is shown below.
 */
export function createShownText(): ShownText {
  /** Of the current answer: what was shown, and what of it a new beginning has not repeated yet. */
  let answer = ''
  let repeats: string | undefined

  const show = (piece: string): string => {
    if (piece === '') return ''
    const added = answer === '' && shown.text !== '' ? `${gap}${piece}` : piece
    answer += piece
    shown.text += added
    return added
  }

  const say = (piece: string): string => {
    if (repeats === undefined) return show(piece)
    repeats += piece
    if (answer.startsWith(repeats)) {
      if (answer.length === repeats.length) repeats = undefined
      return ''
    }
    const fresh = repeats
    repeats = undefined
    if (fresh.startsWith(answer)) return show(fresh.slice(answer.length))
    answer = ''
    return show(fresh)
  }

  const shown = {
    text: '',
    push(event: TurnEvent) {
      if (event.type === 'text-delta') return say(event.text)
      if (event.type === 'answer-reset') {
        if (answer !== '') repeats = ''
        return ''
      }
      if (event.type === 'answer-end') {
        answer = ''
        repeats = undefined
        return ''
      }
      // What a turn says without streaming it: a last word, a text that a failure left.
      if (event.type === 'turn-end' && shown.text === '') return show(event.text)
      return ''
    },
  }
  return shown
}
