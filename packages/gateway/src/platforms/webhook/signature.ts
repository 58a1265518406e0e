import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isSameSecret } from '../../http/same-secret.ts'

/** A route with this instead of a secret takes everything; on loopback only. */
export const noAuthentication = 'INSECURE_NO_AUTH'

/** How old a signature with a time may be, and how far ahead of our clock, seconds. */
const toleranceSeconds = 300

/** How many signatures of one header are looked at: there are two while a secret is rolled. */
const maxSignatures = 5

export interface SignedRequest {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly secret: string
  /** Ms since 1970. */
  readonly now: number
}

/** Whether a request was made by somebody who knows the secret; its first known header decides how that is shown. */
export function isSigned({ headers, body, secret, now }: SignedRequest): boolean {
  if (secret === noAuthentication) return true
  if (secret === '') return false
  const header = (name: string) => headers[name]?.toString()
  const gitHub = header('x-hub-signature-256')
  if (gitHub !== undefined) return isSameSecret(gitHub, `sha256=${hmac(secret, body)}`)
  const gitLab = header('x-gitlab-token')
  if (gitLab !== undefined) return isSameSecret(gitLab, secret)
  const stripe = header('stripe-signature')
  if (stripe !== undefined) return isTimed(stripe, { body, secret, now })
  const generic = header('x-webhook-signature')
  if (generic !== undefined) return isSameSecret(generic.replace(/^sha256=/, ''), hmac(secret, body))
  return false
}

/** As services that bring webhooks sign, in lower-case hexadecimal digits. */
export function hmac(secret: string, ...parts: readonly (string | Buffer)[]): string {
  const made = createHmac('sha256', secret)
  for (const part of parts) made.update(part)
  return made.digest('hex')
}

/** `t=<seconds>,v1=<signature>`: the time is signed with the body, so that an old request cannot be sent again. */
function isTimed(header: string, { body, secret, now }: Omit<SignedRequest, 'headers'>): boolean {
  const fields = header.split(',').map((field) => field.trim().split('='))
  const time = fields.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > toleranceSeconds) return false
  const expected = hmac(secret, `${time}.`, body)
  const given = fields.filter(([name]) => name === 'v1').slice(0, maxSignatures)
  return given.some(([, signature = '']) => isSameSecret(signature, expected))
}
