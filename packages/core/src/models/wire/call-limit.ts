import { ModelError } from '../model-error.ts'
import type { Place } from './place.ts'

/**
 * Most calls of one answer, and most characters that they may have, all of them together: more than any model writes in
 * one go. A server that never ends a call would fill the memory before there is a call to look at.
 */
export const maxCalls = 1024
export const maxCallCharacters = 8 * 1024 * 1024

/** Counts the calls of one answer while they arrive. Throws `ModelError` when there is too much of them. */
export interface CallLimit {
  /** Another call begins. */
  begin(): void
  /** So many more characters belong to a call. */
  grow(characters: number): void
}

export function createCallLimit({ label }: Pick<Place, 'label'>): CallLimit {
  let calls = 0
  let total = 0
  const stop = (limit: string): never => {
    throw new ModelError('malformed-stream', `${label} sent ${limit} in one answer; it was stopped.`)
  }
  return {
    begin: () => {
      if (++calls > maxCalls) stop(`more than ${maxCalls} tool calls`)
    },
    grow: (characters) => {
      total += characters
      if (total > maxCallCharacters)
        stop(`tool calls of more than ${maxCallCharacters / 1024 / 1024} million characters`)
    },
  }
}
