import { ModelError } from '../model-error.ts'
import type { ModelInfo } from '../model.ts'
import { similarNames } from '../similar-names.ts'

/** The failure of a model that is not there, with the names of those that are and look like it. */
export function namingSimilar(failure: ModelError, model: string, there: readonly ModelInfo[]): ModelError {
  const similar = similarNames(
    model,
    there.map(({ id }) => id),
  )
  // A name that is in the list is no slip.
  if (similar.length === 0 || there.some(({ id }) => id === model)) return failure
  const { code, message, status, cause } = failure
  return new ModelError(code, `${message} Did you mean ${similar.join(' or ')}?`, { status, cause })
}
