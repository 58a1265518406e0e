import { createHmac } from 'node:crypto'
import { isSameSecret } from '../../http/same-secret.ts'

/** How old a request may be, seconds. */
const maxAgeSeconds = 300

export interface SignedRequest {
  readonly timestamp: string
  readonly signature: string
  /** As it came, byte for byte. */
  readonly body: Buffer
}

/**
 * Whether Slack has made a request, within the last five minutes:
 * https://docs.slack.dev/authentication/verifying-requests-from-slack. `now`: ms since 1970.
 */
export function isFromSlack({ timestamp, signature, body }: SignedRequest, secret: string, now: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > maxAgeSeconds) return false
  const digest = createHmac('sha256', secret).update(`v0:${timestamp}:`).update(body).digest('hex')
  return isSameSecret(signature, `v0=${digest}`)
}
