import { ModelError } from '../models/model-error.ts'
import type { Redactor } from '../security/redact.ts'
import type { TurnFailure } from './events.ts'

/** A model's failure as the end of a turn tells it; anything else is a bug and is named as such. */
export function failureOf(error: unknown, redactor: Redactor): TurnFailure {
  if (error instanceof ModelError) return { code: error.code, message: redactor.redact(error.message) }
  const text = error instanceof Error ? error.message : String(error)
  return { code: 'internal', message: redactor.redact(`Something inside Hermes failed: ${text}`) }
}
