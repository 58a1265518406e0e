/** Where on the way to a server a request failed. */
export type TransportFailure =
  /** It could not be reached, or the connection broke. */
  | 'unreachable'
  /** It was silent for too long, or the call took too long altogether. */
  | 'timeout'
  /** The address or a header cannot be used, or the certificate is not trusted: trying again does not help. */
  | 'refused'

/** A request failed before or beside what the server says. The message holds neither headers nor body. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly failure: TransportFailure
  constructor(failure: TransportFailure, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.failure = failure
  }
}

/** Says what a socket's, a resolver's or TLS's error means. Anything else passes through. */
export function asTransportError(error: unknown, host: string): unknown {
  if (!(error instanceof Error) || error instanceof TransportError) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const cause = { cause: error }
  const known = unreachable[code]
  if (known !== undefined) return new TransportError('unreachable', `${host} ${known} (${code})`, cause)
  if (code.startsWith('ERR_INVALID_') || code.startsWith('ERR_UNESCAPED') || code === 'ERR_PROXY_INVALID_CONFIG') {
    return new TransportError('refused', `The request to ${host} cannot be made: ${error.message}`, cause)
  }
  if (/^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_|ERR_SSL_|EPROTO)/.test(code)) {
    return new TransportError('refused', `No secure connection to ${host} (${code}). ${secureHint(code)}`, cause)
  }
  if (code === '') return error
  return new TransportError('unreachable', `The connection to ${host} failed (${code})`, cause)
}

/** What may be wrong with a secure connection, and what helps. */
function secureHint(code: string): string {
  if (code === 'EPROTO' || code.includes('WRONG_VERSION')) return 'Is it an http:// address?'
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return "Its certificate does not hold now: is this machine's clock right?"
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'Its certificate is for another name: is the address right?'
  return 'Nobody here vouches for its certificate; if you do, start Hermes with NODE_EXTRA_CA_CERTS=FILE, a file that holds the one of its issuer'
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections: nothing listens there',
  ECONNRESET: 'closed the connection',
  EPIPE: 'closed the connection',
  ENOTFOUND: 'has no address: is the name right, and this machine online?',
  EAI_AGAIN: 'could not be looked up: is this machine online?',
  ETIMEDOUT: 'did not answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached: is this machine online?',
  ERR_STREAM_PREMATURE_CLOSE: 'closed the connection in the middle of its answer',
}
