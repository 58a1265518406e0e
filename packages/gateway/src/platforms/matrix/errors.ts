import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import type { PlatformErrorCode } from '../platform-error.ts'

/** What the server says when it says no: https://spec.matrix.org/latest/client-server-api/#standard-error-response */
const refusal = z.looseObject({
  errcode: z.string().catch(''),
  error: z.string().catch(''),
  retry_after_ms: z.number().optional().catch(undefined),
  soft_logout: z.boolean().optional().catch(undefined),
})

/** The server's answer to a call that it did not do. */
export class MatrixError extends PlatformError {
  /** `M_NOT_FOUND` and the like; empty where the answer has none. */
  readonly errcode: string
  readonly status: number

  constructor(
    code: PlatformErrorCode,
    message: string,
    { errcode, status, retryAfterMs }: { errcode: string; status: number; retryAfterMs?: number },
  ) {
    super(code, message, retryAfterMs === undefined ? {} : { retryAfterMs })
    this.errcode = errcode
    this.status = status
  }
}

export interface FailedAnswer {
  readonly status: number
  readonly body: string
  /** Header of that name, seconds. */
  readonly retryAfter?: string | undefined
}

/** Longest part of the server's words that is shown, characters. */
const maxWords = 300

export function refusalError(call: string, { status, body, retryAfter }: FailedAnswer): MatrixError {
  const { errcode, error, retry_after_ms: retryMs } = read(body)
  const code = codeOf(status, errcode, error)
  const said = [errcode, error].filter(Boolean).join(': ').slice(0, maxWords).toWellFormed() || `status ${status}`
  const message =
    code === 'unauthorised'
      ? 'Matrix does not know the session any more. Put a new access token, or the password, into .env.'
      : `Matrix: ${said} (${call})`
  const seconds = Number(retryAfter)
  const after = retryMs ?? (retryAfter !== undefined && Number.isFinite(seconds) ? seconds * 1000 : 1_000)
  return new MatrixError(code, message, { errcode, status, ...(code === 'rate-limited' && { retryAfterMs: after }) })
}

function read(body: string): z.infer<typeof refusal> {
  try {
    return refusal.parse(JSON.parse(body))
  } catch {
    // A proxy in front of the server answers in a form of its own.
    return { errcode: '', error: '' }
  }
}

const codes: Readonly<Record<string, PlatformErrorCode>> = {
  M_LIMIT_EXCEEDED: 'rate-limited',
  M_UNKNOWN_TOKEN: 'unauthorised',
  M_MISSING_TOKEN: 'unauthorised',
  M_USER_DEACTIVATED: 'unauthorised',
  M_USER_LOCKED: 'unauthorised',
  M_NOT_FOUND: 'gone',
  M_TOO_LARGE: 'too-long',
}

function codeOf(status: number, errcode: string, error: string): PlatformErrorCode {
  const known = codes[errcode]
  if (known) return known
  if (status === 429) return 'rate-limited'
  if (status === 401) return 'unauthorised'
  if (status === 413) return 'too-long'
  if (status === 403 && /not in room|not joined|not a member|left the room/i.test(error)) return 'gone'
  // Calls can be made again: the server knows them by their transaction.
  if (status >= 500) return 'unreachable'
  return 'refused'
}
