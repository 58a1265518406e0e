import type { PhebyErrorCode } from '@hermes/protocol/pheby/error-codes.ts'

/** A request is not done. The message is for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: PhebyErrorCode

  constructor(code: PhebyErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
