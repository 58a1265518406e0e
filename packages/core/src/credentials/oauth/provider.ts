/** How a person signs in. */
export type SignInFlow =
  /** RFC 8628: a code is shown, and typed in a browser anywhere. `pkce`: the request carries a code challenge. */
  | { readonly type: 'device'; readonly codeUrl: string; readonly pkce: boolean }
  /** The same idea in OpenAI's own form, which ends with an authorization code. */
  | {
      readonly type: 'device-code-exchange'
      readonly codeUrl: string
      readonly pollUrl: string
      readonly verifyUrl: string
      readonly redirectUrl: string
    }
  /** RFC 6749 with PKCE: the browser comes back to this machine, or shows a code to paste. */
  | {
      readonly type: 'browser'
      readonly authorizeUrl: string
      /** More query parameters of the authorize request. */
      readonly parameters: Readonly<Record<string, string>>
      readonly callbackPath: string
      /** The page that shows the code when the browser cannot come back here. */
      readonly pasteUrl: string
    }

/** A provider that one can sign in to. Every address may be moved to another server, keeping its path. */
export interface OAuthProvider {
  /** As in `auth.json`. */
  readonly id: string
  readonly title: string
  readonly flow: SignInFlow
  readonly tokenUrl: string
  readonly clientId: string
  readonly scope: string
  readonly encoding: 'form' | 'json'
  /** Variables that name another sign-in server, the first one set wins. */
  readonly serverVariables: readonly string[]
  /** Mints short-lived keys from the access token: those, not the token, are sent to the model. */
  readonly agentKeyUrl?: string
  /** Header that carries the refresh token besides the form. */
  readonly refreshHeader?: string
  /** Variable with the time limit of a renewal, seconds, and its default. */
  readonly renewal: { readonly timeoutVariable?: string; readonly timeoutSeconds: number }
  /**
   * Where `hermes login` keeps the grant: with the provider's state in `auth.json`, in the home's own file for it, or as
   * one more entry of the pool.
   */
  readonly loginKeptIn: 'provider-state' | 'file' | 'pool'
  /** `source` of an entry that `hermes auth add` makes. */
  readonly addedSource: string
}
