import { ModelError } from './model-error.ts'
import type { ResolvedModel } from './model.ts'

/**
 * Most characters of one answer: some twenty times what the largest models can write. A server that never ends its
 * answer would fill the memory and the session.
 */
export const maxAnswerLength = 16 * 1024 * 1024

/** Not to be asked for again: it would be as long the next time. */
export function tooLongAnswer({ provider }: Pick<ResolvedModel, 'provider'>): ModelError {
  const limit = `${maxAnswerLength / 1024 / 1024} million characters`
  return new ModelError('invalid-request', `${provider.name} did not end its answer after ${limit}; it was stopped.`)
}
