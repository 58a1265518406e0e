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

/** How a request shows that whoever made it knows the secret. */
export interface Proof {
  /** The signature as it was worked out here: the same for the same signed bytes. Undefined where none were signed. */
  readonly signature?: string
  /** Two events may be signed alike: nothing but the body is signed, and whoever sends it need not put an id there. */
  readonly mayRepeat?: boolean
}

/** How a request proves that it may be made, by the first known header that it has. Undefined where it does not. */
export function proofOf({ headers, body, secret, now }: SignedRequest): Proof | undefined {
  if (secret === noAuthentication) return {}
  if (secret === '') return undefined
  const header = (name: string) => headers[name]?.toString()
  const overBody = (given: string) => {
    const signature = hmac(secret, body)
    return isSameSecret(given, signature) ? { signature } : undefined
  }
  const gitHub = header('x-hub-signature-256')
  if (gitHub !== undefined) return gitHub.startsWith('sha256=') ? overBody(gitHub.slice('sha256='.length)) : undefined
  const gitLab = header('x-gitlab-token')
  if (gitLab !== undefined) return isSameSecret(gitLab, secret) ? {} : undefined
  const stripe = header('stripe-signature')
  if (stripe !== undefined) return timedProof(stripe, { body, secret, now })
  const generic = header('x-webhook-signature')
  const proof = generic === undefined ? undefined : overBody(generic.replace(/^sha256=/, ''))
  return proof && { ...proof, mayRepeat: true }
}

/** As services that bring webhooks sign, in lower-case hexadecimal digits. */
export function hmac(secret: string, ...parts: readonly (string | Buffer)[]): string {
  const made = createHmac('sha256', secret)
  for (const part of parts) made.update(part)
  return made.digest('hex')
}

/** `t=<seconds>,v1=<signature>`: the time is signed with the body, so that an old request cannot be sent again. */
function timedProof(header: string, { body, secret, now }: Omit<SignedRequest, 'headers'>): Proof | undefined {
  const fields = header.split(',').map((field) => field.trim().split('='))
  const time = fields.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > toleranceSeconds) return undefined
  const signature = hmac(secret, `${time}.`, body)
  const given = fields.filter(([name]) => name === 'v1').slice(0, maxSignatures)
  return given.some(([, value = '']) => isSameSecret(value, signature)) ? { signature } : undefined
}
