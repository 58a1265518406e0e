import type { sleep } from '../../models/retry.ts'
import type { OAuthProvider } from './provider.ts'
import type { OAuthAnswer, OAuthRequest } from './send.ts'

/** The person who signs in, as a face reaches them. */
export interface SignInFace {
  /** Shows where to go, and the code to type there if there is one. */
  show(prompt: { readonly url: string; readonly code?: string }): void
  /** Opens the person's browser on this machine; absent where there is none, or none is wanted. */
  openBrowser?(url: string): void
  /** Asks for the code, or the address, that the browser shows; absent where nobody can paste. */
  readPasted?(signal: AbortSignal): Promise<string>
}

/** What every flow works with. */
export interface FlowContext {
  readonly provider: OAuthProvider
  readonly face: SignInFace
  readonly clientId: string
  readonly scope: string
  readonly now: () => number
  readonly sleep: typeof sleep
  /** An address of the provider, on the server that is used. */
  readonly at: (url: string) => string
  readonly post: (
    request: Pick<OAuthRequest, 'url' | 'encoding' | 'fields'>,
    signal: AbortSignal,
  ) => Promise<OAuthAnswer>
}
