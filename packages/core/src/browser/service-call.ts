import type { z } from 'zod'
import { BrowserError } from './browser-error.ts'

/** A call to the service that runs a browser. */
export interface ServiceCall {
  /** For messages, e.g. `Browserbase`. */
  readonly service: string
  readonly url: string
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

const timeoutMs = 30_000

/** What the service answered when it did not do what was asked. */
export class ServiceRefusal extends BrowserError {
  readonly status: number

  constructor(status: number, message: string) {
    super(status === 401 || status === 403 || status === 402 ? 'unavailable' : 'failed', message)
    this.status = status
  }
}

/** Calls it. Throws `ServiceRefusal` or `BrowserError`, neither with a key; when `signal` aborts, its reason. */
export async function callService<Schema extends z.ZodType>(
  call: ServiceCall,
  schema: Schema,
  signal: AbortSignal,
): Promise<z.infer<Schema>> {
  const { service, url, method, headers, body } = call
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A key goes nowhere else.
      redirect: 'error',
      signal: AbortSignal.any([signal, timeout]),
    })
    const text = await response.text()
    if (!response.ok) throw new ServiceRefusal(response.status, refusalText(service, response.status))
    const parsed = schema.safeParse(text === '' ? {} : JSON.parse(text))
    if (parsed.success) return parsed.data
    throw new BrowserError('failed', `${service} answered in a form that is not known.`)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BrowserError) throw error
    const reason = timeout.aborted ? 'took too long' : 'cannot be reached'
    throw new BrowserError('failed', `${service} ${reason}.`, { cause: error })
  }
}

function refusalText(service: string, status: number): string {
  if (status === 401 || status === 403) return `${service} refuses the key: check it in .env.`
  if (status === 402) return `${service} says that the plan does not pay for this, or that it is used up.`
  if (status === 429) return `${service} runs as many browsers as the plan allows, or was asked too often: try later.`
  return `${service} answered with status ${status}.`
}
