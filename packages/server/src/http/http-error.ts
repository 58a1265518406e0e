export interface HttpErrorDetails {
  /** The field of the request that is wrong. */
  readonly param?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** A request is answered with an error. Clients branch on `code`; people read `message`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly code: string
  readonly param: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, message: string, { param, headers = {}, cause }: HttpErrorDetails = {}) {
    super(message, { cause })
    this.status = status
    this.code = code
    this.param = param
    this.headers = headers
  }
}
