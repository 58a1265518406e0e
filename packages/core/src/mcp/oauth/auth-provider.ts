import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client'
import type { SignInFace } from '../../credentials/oauth/flow.ts'
import { withFileLock } from '../../storage/file-lock.ts'
import { McpError } from '../mcp-error.ts'
import type { ServerSettings } from '../settings.ts'
import { authorise } from './authorise.ts'
import { ClientProvider } from './client-provider.ts'
import { signIn } from './sign-in.ts'
import type { TokenFiles } from './token-files.ts'

/** An access token is renewed when it holds for less than this, seconds. */
const renewBeforeSeconds = 60

/** Longest wait for another process that renews the same tokens, ms. */
const lockTimeoutMs = 30_000

export interface ServerAuthOptions {
  readonly server: string
  readonly settings: Pick<ServerSettings, 'url' | 'oauth'>
  readonly files: TokenFiles
  readonly now: () => number
  readonly fetchFn: FetchLike
  /** The person who can sign in; absent: nobody. */
  readonly face?: SignInFace | undefined
  readonly signal: AbortSignal
}

/** An answer that refused a request for its token. */
type Refused = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0]

/** Where more is wanted than a sign-in allows: a scope. */
export interface StepUp {
  readonly requiredScope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
}

/** The bearer tokens of one server: renewed before they end, once over all processes. */
export class ServerAuth implements AuthProvider {
  readonly #options: ServerAuthOptions
  #last: string | undefined

  constructor(options: ServerAuthOptions) {
    this.#options = options
  }

  async token(): Promise<string | undefined> {
    const { files, now } = this.#options
    const kept = files.tokens()
    const end = kept?.expires_at
    const isDue = end !== undefined && end - renewBeforeSeconds < now() / 1000
    if (kept && isDue && kept.refresh_token !== undefined) await this.#renew(kept.access_token)
    this.#last = files.tokens()?.access_token
    return this.#last
  }

  async onUnauthorized({ response, serverUrl }: Refused): Promise<void> {
    const refused = this.#last
    const current = this.#options.files.tokens()
    // Another process has renewed it meanwhile.
    if (current && current.access_token !== refused) return
    if (current?.refresh_token !== undefined && (await this.#renew(current.access_token))) return
    const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
    await this.#signIn({ ...extractWWWAuthenticateParams(response), serverUrl })
  }

  /** Signs in again for a scope that the tokens do not have. */
  async stepUp({ requiredScope, resourceMetadataUrl }: StepUp): Promise<void> {
    const { computeScopeUnion } = await import('@modelcontextprotocol/client')
    const { files, settings } = this.#options
    const scope = computeScopeUnion(files.tokens()?.scope, requiredScope)
    await this.#signIn({ scope, resourceMetadataUrl, serverUrl: new URL(settings.url), isStepUp: true })
  }

  async #signIn(wanted: {
    scope?: string | undefined
    resourceMetadataUrl?: URL | undefined
    serverUrl: URL
    isStepUp?: boolean
  }): Promise<void> {
    const { server, settings, files, fetchFn, face, signal } = this.#options
    if (!face) throw signInNeeded(server)
    await signIn({ server, settings: settings.oauth, files, fetchFn, face, ...wanted }, signal)
  }

  /** Renews the tokens, unless somebody else just has. False where a person has to sign in again. */
  #renew(old: string): Promise<boolean> {
    const { server, settings, files, fetchFn, signal } = this.#options
    const renew = async () => {
      const current = files.tokens()
      if (current && current.access_token !== old) return true
      const provider = new ClientProvider({
        settings: settings.oauth,
        files,
        redirectUrl: files.client()?.redirect_uris?.[0] ?? 'http://127.0.0.1/callback',
        state: '',
        onRedirect: () => {
          throw signInNeeded(server)
        },
      })
      try {
        return (await authorise(provider, { serverUrl: settings.url, fetchFn }, signal)) === 'AUTHORIZED'
      } catch (error) {
        if (error instanceof McpError && error.code === 'sign-in-needed') return false
        throw error
      }
    }
    return withFileLock(files.path, renew, { timeoutMs: lockTimeoutMs, signal })
  }
}

export function signInNeeded(server: string): McpError {
  return new McpError(
    'sign-in-needed',
    `You have to sign in to the MCP server ${server}: run "hermes mcp test ${server}" in a terminal.`,
  )
}
