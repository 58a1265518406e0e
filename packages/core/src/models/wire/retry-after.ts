import type { IncomingHttpHeaders } from 'node:http'
import { resetTimeMs } from '../../credentials/cooldown.ts'
import { fields } from './json-fields.ts'

/** How long the server asks us to wait, ms; undefined when it does not say. */
export function retryAfterMs(
  answer: { readonly status: number | undefined; readonly headers: IncomingHttpHeaders; readonly body: unknown },
  nowMs: number,
): number | undefined {
  const { status, headers, body } = answer
  // Limits are told with every answer; only a refusal for them is a reason to wait until they are over.
  const isLimit = status === undefined || status === 429 || status === 402
  const { 'retry-after': after, 'retry-after-ms': afterMs } = headers
  const told = isLimit ? headers : { 'retry-after': after, 'retry-after-ms': afterMs }
  const text = isLimit && body !== undefined ? JSON.stringify(body) : ''
  const at = resetTimeMs({ headers: told }, nowMs) ?? resetTimeMs({ headers: passedOn(body), text }, nowMs)
  return at === undefined ? undefined : Math.max(0, Math.ceil(at - nowMs))
}

/** OpenRouter passes its limits' headers inside the error. */
function passedOn(body: unknown): Readonly<Record<string, string>> {
  const inner = fields(fields(fields(fields(body)?.['error'])?.['metadata'])?.['headers']) ?? {}
  return Object.fromEntries(Object.entries(inner).map(([name, value]) => [name.toLowerCase(), String(value)]))
}
