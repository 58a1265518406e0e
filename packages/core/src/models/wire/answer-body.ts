import type { ModelEvent, ModelRequest } from '../model.ts'
import type { KeyedPlace } from './place.ts'

/** The body of an answer with status 200 while it is read. Throws `ModelError` for what the server says went wrong. */
export interface AnswerBody {
  /** The events that the next bytes complete, those before a failure included. */
  feed(bytes: Uint8Array): Iterable<ModelEvent>
  /** The last events. */
  end(): Iterable<ModelEvent>
  /** Whether the answer is complete, whatever else may come. */
  readonly isOver: boolean
}

/** What is known when an answer begins. */
export interface AnswerContext {
  readonly place: KeyedPlace
  readonly request: ModelRequest
  /** Ms since the epoch, for waits that a server gives as a time. */
  readonly now: () => number
  /** Told for each step that the server makes; signs of life are none. */
  readonly progress: () => void
}
