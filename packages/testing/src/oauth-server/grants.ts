import { createHash, randomBytes } from 'node:crypto'

/** Tokens as a sign-in server gives them out. */
export interface IssuedTokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly scope: string
}

/** How often what happened. `reuses`: a refresh token came a second time, and its grant was ended for it. */
export interface OAuthCounts {
  refreshes: number
  reuses: number
  exchanges: number
  deviceCodes: number
  devicePolls: number
  agentKeys: number
  authorizations: number
}

export interface GrantRules {
  readonly accessTtlSeconds: number
  /** A refresh token holds for one use. */
  readonly rotate: boolean
  /** Access tokens are JSON Web Tokens with this e-mail address in them. */
  readonly email?: string
  readonly scope: string
}

interface Family {
  isRevoked: boolean
  current: string
  readonly used: Set<string>
  readonly access: Set<string>
}

/** A refused request: `error` and `error_description` of RFC 6749. */
export class OAuthRefusal extends Error {
  override readonly name = 'OAuthRefusal'
  readonly code: string
  readonly status: number
  constructor(code: string, description = '', status = 400) {
    super(description)
    this.code = code
    this.status = status
  }
}

/** The grants of a server: one family of tokens for each sign-in. */
export class Grants {
  readonly #families: Family[] = []
  readonly #rules: GrantRules
  readonly #counts: OAuthCounts

  constructor(rules: GrantRules, counts: OAuthCounts) {
    this.#rules = rules
    this.#counts = counts
  }

  issue(): IssuedTokens {
    const family: Family = { isRevoked: false, current: '', used: new Set(), access: new Set() }
    this.#families.push(family)
    return this.#tokens(family)
  }

  refresh(token: string): IssuedTokens {
    const family = this.#families.find((one) => one.current === token || one.used.has(token))
    if (!family) throw new OAuthRefusal('invalid_grant', 'Unknown refresh token')
    if (family.used.has(token)) {
      this.#counts.reuses += 1
      family.isRevoked = true
      throw new OAuthRefusal('invalid_grant', 'Refresh token reuse detected')
    }
    if (family.isRevoked) throw new OAuthRefusal('invalid_grant', 'The grant was revoked')
    this.#counts.refreshes += 1
    return this.#tokens(family)
  }

  isValid(accessToken: string): boolean {
    return this.#families.some((family) => !family.isRevoked && family.access.has(accessToken))
  }

  /** Makes an access token of no use before its time; its refresh token still works. */
  expire(accessToken: string): void {
    for (const family of this.#families) family.access.delete(accessToken)
  }

  /** Ends every grant. */
  revokeAll(): void {
    for (const family of this.#families) family.isRevoked = true
  }

  #tokens(family: Family): IssuedTokens {
    const { accessTtlSeconds, rotate, scope } = this.#rules
    if (rotate || family.current === '') {
      if (family.current !== '') family.used.add(family.current)
      family.current = `made-up-refresh-${randomBytes(8).toString('hex')}`
    }
    const access = this.#accessToken()
    family.access.add(access)
    return {
      access_token: access,
      refresh_token: family.current,
      token_type: 'Bearer',
      expires_in: accessTtlSeconds,
      scope,
    }
  }

  #accessToken(): string {
    const { email, accessTtlSeconds } = this.#rules
    const unique = randomBytes(8).toString('hex')
    if (email === undefined) return `made-up-access-${unique}`
    const claims = { sub: email, email, jti: unique, exp: Math.floor(Date.now() / 1000) + accessTtlSeconds }
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    return `${part({ alg: 'none' })}.${part(claims)}.made-up-signature`
  }
}

/** Whether a verifier is the one that a challenge was made from: RFC 7636, S256. */
export function provesChallenge(verifier: string, challenge: string): boolean {
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
