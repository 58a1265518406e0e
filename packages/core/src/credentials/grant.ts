/** What a sign-in gives: tokens, and how long they hold. */
export interface Grant {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** ms since the epoch; undefined when the provider does not tell. */
  readonly expiresAtMs: number | undefined
  readonly tokenType?: string | undefined
  readonly scope?: string | undefined
  /** Where models are reached with it, when the provider says so. */
  readonly inferenceUrl?: string | undefined
  readonly agentKey?: AgentKey | undefined
}

/** A short-lived key made from the access token. */
export interface AgentKey {
  readonly secret: string
  readonly id: string | undefined
  readonly expiresAtMs: number | undefined
  /** How long it was made for; a key that is short from the start is not made anew for being short. */
  readonly lifetimeMs: number | undefined
  readonly reused: boolean | undefined
}

/** A grant where it is kept, with what it was made with. */
export interface KeptGrant extends Grant {
  readonly clientId?: string | undefined
  /** The sign-in server, when it is not the provider's own. */
  readonly server?: string | undefined
  readonly tls?: { readonly insecure?: boolean; readonly caBundle?: string } | undefined
}

/**
 * The one place that owns a grant: its tokens are read there before they are used, and new ones are there before they
 * are used.
 */
export interface GrantStore {
  /** Names the place, the same in every process. */
  readonly key: string
  /** For people, e.g. `Claude Code (~/.claude/.credentials.json)`. */
  readonly title: string
  /** Undefined when it is not there any more. */
  read(): Promise<KeptGrant | undefined>
  /** Durable when it resolves. */
  write(grant: KeptGrant): Promise<void>
}
