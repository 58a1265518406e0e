/** What kind of thing went wrong; callers branch on it. */
export type CronErrorCode =
  | 'bad-schedule'
  | 'bad-job'
  | 'no-such-job'
  | 'corrupt-file'
  | 'injection'
  | 'bad-script'
  | 'no-gateway'
  | 'delivery-failed'

/** A scheduled job cannot be made, changed, run or delivered; the message says what to do about it. */
export class CronError extends Error {
  override readonly name = 'CronError'
  readonly code: CronErrorCode

  constructor(code: CronErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
