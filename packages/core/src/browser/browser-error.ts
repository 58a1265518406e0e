export type BrowserErrorCode =
  /** There is no browser to be had; the message says what to install or set. */
  | 'unavailable'
  /** The browser or the service that runs it refused, ended or does not answer. */
  | 'failed'
  | 'timeout'
  /** The address may not be opened. */
  | 'refused'
  /** No page has been opened yet. */
  | 'no-page'
  /** The reference is none of the page as it is now. */
  | 'stale-ref'
  /** The element cannot be used in this way. */
  | 'not-usable'
  /** A dialog waits for an answer. */
  | 'dialog'
  /** The page's own script failed. */
  | 'script'

/** Something in the browser did not work. `message` is for the model: what to do instead; never an address with a key. */
export class BrowserError extends Error {
  override readonly name = 'BrowserError'
  readonly code: BrowserErrorCode

  constructor(code: BrowserErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
