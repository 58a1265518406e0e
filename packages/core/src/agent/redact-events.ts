import { redactStream } from '../security/redact-stream.ts'
import type { RedactStream } from '../security/redact-stream.ts'
import type { Redactor } from '../security/redact.ts'
import type { TurnEvent } from './events.ts'

type Emit = (event: TurnEvent) => Promise<void> | undefined

/**
 * Hides secrets in what a model says before a face gets it; the session keeps what it said. Of an answer that streams,
 * the last word is held back until it is whole.
 */
export function redactingEvents(emit: Emit, redactor: Redactor): Emit {
  let text: RedactStream | undefined
  let reasoning: RedactStream | undefined

  const show = (type: 'text-delta' | 'reasoning-delta', shown: string | undefined) =>
    shown ? emit({ type, text: shown }) : undefined
  /** Lets go of what was held back, at the end of an answer. */
  const endStreams = () => {
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
        text ??= redactStream(redactor)
        return show('text-delta', text.push(event.text))
      case 'reasoning-delta':
        reasoning ??= redactStream(redactor)
        return show('reasoning-delta', reasoning.push(event.text))
      case 'answer-reset':
        reasoning = text = undefined
        return emit(event)
      case 'answer-end':
      case 'turn-end':
        return afterStreams({ ...event, text: redactor.redact(event.text) })
      default:
        return emit(event)
    }
  }
}
