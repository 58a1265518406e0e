import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { ServerSettings } from '../settings.ts'
import type { TokenFiles } from './token-files.ts'

export interface ClientProviderOptions {
  readonly settings: ServerSettings['oauth']
  readonly files: TokenFiles
  /** Where the browser comes back to. */
  readonly redirectUrl: string
  readonly state: string
  /** Sends the person to the page where they agree. Throws where there is nobody to send. */
  readonly onRedirect: (url: URL) => void
}

/** One sign-in, or one renewal, as the protocol's library asks for it; what lasts is in the files. */
export class ClientProvider implements OAuthClientProvider {
  readonly #options: ClientProviderOptions
  #verifier = ''
  #discovery: OAuthDiscoveryState | undefined

  constructor(options: ClientProviderOptions) {
    this.#options = options
  }

  get redirectUrl(): string {
    return this.#options.redirectUrl
  }

  get clientMetadataUrl(): string | undefined {
    return this.#options.settings.client_metadata_url || undefined
  }

  get clientMetadata(): OAuthClientMetadata {
    const { client_name: name, scope, client_secret: secret } = this.#options.settings
    return {
      client_name: name,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: secret === '' ? 'none' : 'client_secret_post',
      ...(scope !== '' && { scope }),
    }
  }

  state(): string {
    return this.#options.state
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { client_id: id, client_secret: secret } = this.#options.settings
    const configured = id === '' ? undefined : { client_id: id, ...(secret !== '' && { client_secret: secret }) }
    return withIssuer(configured ?? this.#options.files.client(), context)
  }

  saveClientInformation(information: StoredOAuthClientInformation): Promise<void> {
    return this.#options.files.saveClient(information)
  }

  tokens(context?: OAuthClientInformationContext): StoredOAuthTokens | undefined {
    return withIssuer(this.#options.files.tokens(), context)
  }

  saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    return this.#options.files.saveTokens(tokens)
  }

  redirectToAuthorization(url: URL): void {
    this.#options.onRedirect(url)
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery
  }

  async invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): Promise<void> {
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined
    if (scope === 'all' || scope === 'client' || scope === 'tokens') await this.#options.files.forget(scope)
  }
}

/** What is kept without saying of whom it is (by the settings, by another program) is of whoever is asked now. */
function withIssuer<Kept extends object>(
  kept: Kept | undefined,
  context: OAuthClientInformationContext | undefined,
): Kept | undefined {
  return kept && context ? { issuer: context.issuer, ...kept } : kept
}
