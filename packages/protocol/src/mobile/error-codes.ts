/** Every code of an `error` frame: whether the connection ends with it, and what it tells. */
export const mobileErrors = {
  auth_failed: {
    fatal: true,
    meaning: 'The token is wrong, the address is locked out, or the first frame was no `hello`.',
  },
  auth_timeout: { fatal: true, meaning: 'No `hello` came in time.' },
  version_mismatch: { fatal: true, meaning: 'The server speaks another version of the protocol.' },
  device_not_paired: {
    fatal: true,
    meaning: 'The device is not allowed; the message carries the code with which the owner of the agent allows it.',
  },
  bad_frame: { fatal: false, meaning: 'The frame is no JSON object, or one of its fields is missing or wrong.' },
  unsupported_frame: { fatal: false, meaning: 'The server knows no frame with this `t`.' },
  too_big: {
    fatal: false,
    meaning:
      'The frame is larger than allowed, and the connection closes with 1009; or its text is, or the file that it belongs to.',
  },
  media_incomplete: { fatal: false, meaning: 'Parts of a file did not come in time, or do not fit each other.' },
  prompt_closed: { fatal: false, meaning: 'The card was answered or has expired already, or there never was one.' },
  rate_limited: { fatal: false, meaning: 'Too many frames in a short time; this one was not taken.' },
  internal: { fatal: false, meaning: 'The server failed; the frame may be sent again.' },
} as const satisfies Record<string, { readonly fatal: boolean; readonly meaning: string }>

export type MobileErrorCode = keyof typeof mobileErrors
export const mobileErrorCodes = Object.keys(mobileErrors) as readonly MobileErrorCode[]
