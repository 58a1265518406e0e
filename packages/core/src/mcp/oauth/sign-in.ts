import type { AuthOptions } from '@modelcontextprotocol/client'
import { CredentialError } from '../../credentials/credential-error.ts'
import { codeFromPasted } from '../../credentials/oauth/callback-query.ts'
import { listenForCallback } from '../../credentials/oauth/callback-listener.ts'
import type { CallbackListener } from '../../credentials/oauth/callback-listener.ts'
import type { SignInFace } from '../../credentials/oauth/flow.ts'
import { createState } from '../../credentials/oauth/pkce.ts'
import { McpError } from '../mcp-error.ts'
import type { ServerSettings } from '../settings.ts'
import { within } from '../within.ts'
import { authorise } from './authorise.ts'
import { ClientProvider } from './client-provider.ts'
import type { TokenFiles } from './token-files.ts'

export interface SignInOptions extends Pick<AuthOptions, 'serverUrl' | 'scope' | 'resourceMetadataUrl' | 'fetchFn'> {
  readonly server: string
  readonly settings: ServerSettings['oauth']
  readonly files: TokenFiles
  readonly face: SignInFace
  /** More is wanted than the tokens that are there allow, so renewing them is no use. */
  readonly isStepUp?: boolean
}

/**
 * Signs a person in to a server: OAuth 2.1 with PKCE, the client registered where it has to be. Renews instead where a
 * refresh token is enough. Throws `McpError` and `CredentialError`.
 */
export async function signIn(options: SignInOptions, signal: AbortSignal): Promise<void> {
  const { server, settings, files, face, isStepUp = false } = options
  const state = createState()
  await using listener = await listen(options, state)
  let asked: URL | undefined
  const provider = new ClientProvider({
    settings,
    files,
    redirectUrl: listener.redirectUrl,
    state,
    onRedirect: (url) => (asked = safePage(url, server)),
  })
  const { serverUrl, scope, resourceMetadataUrl, fetchFn } = options
  const request = {
    serverUrl,
    scope: scope ?? (settings.scope || undefined),
    resourceMetadataUrl,
    fetchFn,
  }
  const outcome = await authorise(provider, { ...request, forceReauthorization: isStepUp }, signal)
  if (outcome === 'AUTHORIZED' || !asked) return
  face.show({ url: asked.href })
  face.openBrowser?.(asked.href)
  const timeout = AbortSignal.timeout(settings.timeout * 1000)
  const { code, issuer } = await firstCode(options, { listener, state }, AbortSignal.any([signal, timeout])).catch(
    (error: unknown) => {
      signal.throwIfAborted()
      if (!timeout.aborted) throw error
      throw new McpError('timeout', `Nobody signed in to ${server} within ${settings.timeout} s.`)
    },
  )
  await authorise(provider, { ...request, authorizationCode: code, iss: issuer }, signal)
}

interface Answer {
  readonly code: string
  readonly issuer?: string | undefined
}

/** The code that the browser brings or, if that is first, the one that the person pastes from a browser elsewhere. */
async function firstCode(
  { face, server }: SignInOptions,
  { listener, state }: { readonly listener: CallbackListener; readonly state: string },
  signal: AbortSignal,
): Promise<Answer> {
  const over = new AbortController()
  const brought = listener.code.then((code): Answer => ({ code, issuer: listener.issuer() }))
  const ways = [brought]
  if (face.readPasted) {
    const pasted = face.readPasted(AbortSignal.any([signal, over.signal]))
    ways.push(pasted.then((text): Answer => ({ code: codeFromPasted(text, { state, title: server }) })))
  }
  try {
    return await within(Promise.race(ways), signal)
  } finally {
    over.abort()
  }
}

/**
 * On the port that the settings say, or that the client was registered with. Where that is taken a registered client is
 * given up, so that another one is registered.
 */
async function listen({ settings, files, server }: SignInOptions, state: string): Promise<CallbackListener> {
  const registered = settings.client_id === '' ? files.client()?.redirect_uris?.[0] : undefined
  const known = registered === undefined ? undefined : URL.parse(registered)
  const callback = { path: known?.pathname ?? '/callback', state, title: server }
  const wanted = settings.redirect_port || Number(known?.port ?? 0)
  if (known && wanted !== Number(known.port)) await files.forget('client')
  const host = known?.hostname === 'localhost' ? 'localhost' : '127.0.0.1'
  try {
    return await listenForCallback({ ...callback, host, port: wanted })
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    if (!isTaken) throw error
    if (settings.redirect_port !== 0) {
      throw new McpError('refused', `Port ${wanted} (oauth.redirect_port of ${server}) is taken by another program.`)
    }
    await files.forget('client')
    return listenForCallback({ ...callback, host: '127.0.0.1' })
  }
}

/** A browser is only ever sent to a web page. */
function safePage(url: URL, server: string): URL {
  if (url.protocol === 'https:' || url.protocol === 'http:') return url
  throw new CredentialError('refused', `${server} wants to sign in at ${url.protocol}, which is no web page.`)
}
