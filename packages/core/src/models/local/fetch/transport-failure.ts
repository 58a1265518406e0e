import { ModelError } from '../../model-error.ts'
import { TransportError } from '../../net/transport-error.ts'

/** A failure on the way as one of models; anything else passes through. */
export function fromTransport(error: unknown): unknown {
  if (!(error instanceof TransportError)) return error
  const code = error.failure === 'refused' ? 'invalid-request' : 'network'
  return new ModelError(code, `${error.message}.`, { cause: error })
}
