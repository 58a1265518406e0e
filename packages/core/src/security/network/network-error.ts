export type NetworkErrorCode =
  /** No http:// or https:// address that can be read, or one that hides what it means. */
  | 'invalid'
  | 'scheme'
  /** The address carries a user name or password. */
  | 'credentials'
  | 'port'
  /** This machine, one on its network, or an address that is no public one. */
  | 'private'
  /** Where machines in a cloud are told their credentials. Never allowed. */
  | 'metadata'
  /** The name has no address. */
  | 'dns'
  /** `security.website_blocklist`. */
  | 'policy'
  /** Too many redirects, or one that would hand what was sent to another site. */
  | 'redirect'
  | 'too-large'
  | 'timeout'
  /** The body cannot be unpacked. */
  | 'encoding'
  /** No connection, or one that broke. */
  | 'unreachable'

/** The rule that refuses a host, and where it stands. */
export interface RefusedByRule {
  readonly host: string
  readonly rule: string
  readonly source: string
}

/** A URL is not fetched, or could not be. `message` is for people and models; it names the host, never a secret. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
  readonly code: NetworkErrorCode
  /** With code `policy`: the rule of the website list. */
  readonly policy: RefusedByRule | undefined

  constructor(code: NetworkErrorCode, message: string, options?: { cause?: unknown; policy?: RefusedByRule }) {
    super(message, options)
    this.code = code
    this.policy = options?.policy
  }
}
