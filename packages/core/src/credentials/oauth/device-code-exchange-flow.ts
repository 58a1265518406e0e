import { z } from 'zod'
import { CredentialError } from '../credential-error.ts'
import { exchangeCode } from './exchange-code.ts'
import type { FlowContext } from './flow.ts'
import { poll, type Polled } from './poll.ts'
import type { SignInFlow } from './provider.ts'
import { failureOf, type GrantedTokens } from './tokens.ts'

const codeSchema = z.object({
  device_auth_id: z.string().min(1),
  user_code: z.string().min(1),
  interval: z.coerce.number().min(0).catch(5),
})

const approvedSchema = z.object({ authorization_code: z.string().min(1), code_verifier: z.string().min(1) })

/** OpenAI's codes hold for a quarter of an hour; the answer does not say so. */
const codeMs = 15 * 60_000

/** OpenAI's own device sign-in: the poll ends with an authorization code and the verifier that belongs to it. */
export async function deviceCodeExchangeFlow(
  flow: Extract<SignInFlow, { type: 'device-code-exchange' }>,
  context: FlowContext,
  signal: AbortSignal,
): Promise<GrantedTokens> {
  const { provider, face, clientId, now, at } = context
  const answer = await context.post(
    { url: at(flow.codeUrl), encoding: 'json', fields: { client_id: clientId } },
    signal,
  )
  const parsed = codeSchema.safeParse(answer.body)
  if (!parsed.success) {
    const why = failureOf(answer)?.code ?? 'the answer has no code'
    throw new CredentialError('refused', `${provider.title} gave no code to sign in with: ${why}`)
  }
  const { device_auth_id: id, user_code: code, interval } = parsed.data
  const url = at(flow.verifyUrl)
  face.show({ url, code })
  face.openBrowser?.(url)
  const ask = async (): Promise<Polled<z.infer<typeof approvedSchema>>> => {
    const polled = await context.post(
      { url: at(flow.pollUrl), encoding: 'json', fields: { device_auth_id: id, user_code: code } },
      signal,
    )
    // It waits with these two, and says so with nothing else.
    if (polled.status === 403 || polled.status === 404 || polled.status >= 500) return { type: 'pending' }
    if (polled.status === 429) return { type: 'slower' }
    const approved = approvedSchema.safeParse(polled.body)
    if (approved.success) return { type: 'done', value: approved.data }
    const why = failureOf(polled)?.code ?? `status ${polled.status}`
    throw new CredentialError('denied', `The sign-in to ${provider.title} was declined (${why}).`)
  }
  const options = { intervalSeconds: interval, expiresAtMs: now() + codeMs }
  const { authorization_code: approved, code_verifier: verifier } = await poll(ask, options, context, signal)
  return exchangeCode({ code: approved, verifier, redirectUrl: at(flow.redirectUrl) }, context, signal)
}
