import { firstIssue } from '../first-issue.ts'
import { readJson } from '../read-json.ts'
import { withoutNulls } from '../without-nulls.ts'
import { MAX_REQUEST_BYTES } from './constants.ts'
import type { PhebyErrorCode } from './error-codes.ts'
import { phebyEvent } from './events.ts'
import { phebyRequest } from './requests.ts'
import type { PhebyEvent, PhebyRequest } from './types.ts'

/** What the server answers to a request that it cannot read. */
export interface PhebyProblem {
  readonly code: PhebyErrorCode
  readonly message: string
  /** Where the request has one that is a text. */
  readonly requestId?: string
}

export type ParsedPhebyRequest =
  | { readonly ok: true; readonly request: PhebyRequest }
  | { readonly ok: false; readonly problem: PhebyProblem }

const requestTypes = new Set<string>(phebyRequest.options.map((option) => option.shape.type.value))

/**
 * Reads a frame of a client: the request, or what the server answers (`too_large`, `invalid_json`, `bad_request`,
 * `unknown_type`).
 */
export function parsePhebyRequest(frame: string | Uint8Array): ParsedPhebyRequest {
  const reading = readJson(frame, MAX_REQUEST_BYTES)
  if (reading.kind === 'too-large') return problem('too_large', `A frame has at most ${MAX_REQUEST_BYTES} bytes`)
  if (reading.kind === 'not-json') return problem('invalid_json', 'The frame is no JSON')
  if (reading.kind === 'not-object') return problem('bad_request', 'A request is a JSON object')
  const { type, request_id: requestId } = reading.value
  const id = typeof requestId === 'string' ? requestId : undefined
  if (typeof type !== 'string') return problem('bad_request', 'type: a request names its type', id)
  if (!requestTypes.has(type)) return problem('unknown_type', 'There is no request of this type', id)
  const parsed = phebyRequest.safeParse(withoutNulls(reading.value))
  if (parsed.success) return { ok: true, request: parsed.data }
  const isTooLarge = parsed.error.issues.some(
    (issue) => issue.code === 'custom' && issue.params?.['code'] === 'too_large',
  )
  return problem(isTooLarge ? 'too_large' : 'bad_request', firstIssue(parsed.error), id)
}

/** Reads a frame of the server; `undefined` where this client does not know it, and ignores it. */
export function parsePhebyEvent(frame: string | Uint8Array): PhebyEvent | undefined {
  const reading = readJson(frame, Number.MAX_SAFE_INTEGER)
  if (reading.kind !== 'object') return undefined
  const parsed = phebyEvent.safeParse(reading.value)
  return parsed.success ? parsed.data : undefined
}

function problem(code: PhebyErrorCode, message: string, requestId?: string): ParsedPhebyRequest {
  return { ok: false, problem: { code, message, ...(requestId !== undefined && { requestId }) } }
}
