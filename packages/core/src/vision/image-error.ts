export type ImageErrorCode =
  /** Nothing is there. */
  | 'missing'
  /** The server answered with a status that means a failure. */
  | 'status'
  /** It is no image of a known kind. */
  | 'kind'
  | 'too-large'
  /** It cannot be made smaller here. */
  | 'no-shrinking'

/** An image cannot be used. The message is for models and people. */
export class ImageError extends Error {
  override readonly name = 'ImageError'
  readonly code: ImageErrorCode

  constructor(code: ImageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
