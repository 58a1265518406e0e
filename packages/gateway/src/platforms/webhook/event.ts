import type { IncomingHttpHeaders } from 'node:http'

/** What a request brings. */
export interface WebhookEvent {
  /** e.g. `pull_request`; `unknown` where nothing says it. */
  readonly kind: string
  /** The same when the service brings it again; undefined where it says none. */
  readonly id: string | undefined
  readonly payload: unknown
}

/** The event of a body that is JSON or a form. Undefined where it is neither. */
export function readEvent(headers: IncomingHttpHeaders, body: Buffer): WebhookEvent | undefined {
  const payload = payloadOf(headers, body.toString('utf8'))
  if (payload === undefined) return undefined
  const header = (name: string) => headers[name]?.toString().trim() || undefined
  const field = (name: string) => {
    const value: unknown =
      typeof payload === 'object' && payload !== null && Object.hasOwn(payload, name)
        ? Reflect.get(payload, name)
        : undefined
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const isStripe = headers['stripe-signature'] !== undefined
  // What Stripe signs with the body goes before what headers say.
  const kind =
    (isStripe ? field('type') : undefined) ??
    header('x-github-event') ??
    header('x-gitlab-event') ??
    field('event_type')
  const id =
    (isStripe ? field('id') : undefined) ??
    header('x-github-delivery') ??
    header('idempotency-key') ??
    header('x-gitlab-event-uuid') ??
    header('x-request-id')
  return { kind: kind ?? 'unknown', id, payload }
}

/** GitHub's forms have the JSON in a field. */
function payloadOf(headers: IncomingHttpHeaders, text: string): unknown {
  const isForm = headers['content-type']?.toLowerCase().startsWith('application/x-www-form-urlencoded') === true
  if (!isForm) return parseJson(text)
  const fields = Object.fromEntries(new URLSearchParams(text))
  return (fields['payload'] === undefined ? undefined : parseJson(fields['payload'])) ?? fields
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
