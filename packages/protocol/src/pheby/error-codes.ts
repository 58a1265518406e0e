/** Every code of an `error` event and what it tells. */
export const phebyErrors = {
  unauthorized:
    'The secret is wrong, the first frame was no `hello`, or the address is locked out; the connection closes.',
  auth_timeout: 'No `hello` came in time; the connection closes.',
  version_mismatch: 'The server speaks another version of the protocol; the connection closes.',
  bad_request: 'The frame is no object with a type, or one of its fields is missing or wrong.',
  invalid_json: 'The frame is no JSON.',
  unknown_type: 'The server knows no request of this type.',
  not_found: 'There is no such run that could be cancelled, or no such attachment.',
  conversation_not_found: 'There is no such conversation.',
  approval_not_found: 'The approval was decided or has expired already, or there never was one.',
  clarify_not_found: 'The question was answered or has expired already, or there never was one.',
  too_large: 'The text is longer than allowed; or the frame is, and the connection closes.',
  rate_limited: 'Too many requests in a short time; this one was not taken.',
  run_active: 'A run of this conversation is going on.',
  internal_error: 'The server failed.',
  not_implemented: 'The server knows the request and cannot do it.',
} as const satisfies Record<string, string>

export type PhebyErrorCode = keyof typeof phebyErrors
export const phebyErrorCodes = Object.keys(phebyErrors) as readonly PhebyErrorCode[]
