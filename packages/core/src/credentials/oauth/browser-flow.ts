import { CredentialError } from '../credential-error.ts'
import { listenForCallback } from './callback-listener.ts'
import { codeFromPasted } from './callback-query.ts'
import { exchangeCode } from './exchange-code.ts'
import type { FlowContext } from './flow.ts'
import { createPkce, createState, type Pkce } from './pkce.ts'
import type { SignInFlow } from './provider.ts'
import type { GrantedTokens } from './tokens.ts'

type BrowserFlow = Extract<SignInFlow, { type: 'browser' }>

/**
 * Sends the person to the provider's page and takes the code that comes back: by the browser itself when it was opened
 * here, by pasting otherwise, and by whichever is first when both can be.
 */
export async function browserFlow(
  flow: BrowserFlow,
  context: FlowContext,
  signal: AbortSignal,
): Promise<GrantedTokens> {
  const pkce = createPkce()
  const state = createState()
  const { face, provider } = context
  if (!face.openBrowser) {
    if (!face.readPasted) throw nobodyThere(provider.title)
    const redirectUrl = context.at(flow.pasteUrl)
    face.show({ url: authorizeUrl(flow, context, { pkce, state, redirectUrl }) })
    const code = codeFromPasted(await face.readPasted(signal), { state, title: provider.title })
    return exchangeCode({ code, verifier: pkce.verifier, redirectUrl, state }, context, signal)
  }
  await using listener = await listenForCallback({ path: flow.callbackPath, state, title: provider.title })
  const { redirectUrl } = listener
  const url = authorizeUrl(flow, context, { pkce, state, redirectUrl })
  face.show({ url })
  face.openBrowser(url)
  const code = await firstCode(listener.code, { context, state, signal })
  return exchangeCode({ code, verifier: pkce.verifier, redirectUrl, state }, context, signal)
}

interface Asked {
  readonly pkce: Pkce
  readonly state: string
  readonly redirectUrl: string
}

/** https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1 */
function authorizeUrl(flow: BrowserFlow, { at, clientId, scope }: FlowContext, asked: Asked): string {
  const url = new URL(at(flow.authorizeUrl))
  const parameters = {
    ...flow.parameters,
    client_id: clientId,
    response_type: 'code',
    redirect_uri: asked.redirectUrl,
    scope,
    code_challenge: asked.pkce.challenge,
    code_challenge_method: 'S256',
    state: asked.state,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** The code that the browser brings or, if that is first, the one that the person pastes from a browser elsewhere. */
async function firstCode(
  fromBrowser: Promise<string>,
  { context, state, signal }: { context: FlowContext; state: string; signal: AbortSignal },
): Promise<string> {
  const { face, provider } = context
  const over = new AbortController()
  const stop = AbortSignal.any([signal, over.signal])
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  const ways = [fromBrowser, aborted]
  if (face.readPasted) {
    ways.push(face.readPasted(stop).then((pasted) => codeFromPasted(pasted, { state, title: provider.title })))
  }
  try {
    return await Promise.race(ways)
  } finally {
    signal.removeEventListener('abort', onAbort)
    over.abort()
  }
}

function nobodyThere(title: string): CredentialError {
  const message = `To sign in to ${title}, a browser on this machine or a terminal to paste the code into is needed.`
  return new CredentialError('refused', message)
}
