/** A patch or replacement cannot be applied; nothing was changed. `message` tells the model how to correct it. */
export class PatchError extends Error {
  override readonly name = 'PatchError'
  /** More that helps, for the result: similar names, lines that nearly match. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.details = details
  }
}
