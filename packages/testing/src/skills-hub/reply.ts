/** An answer of the stand-in. */
export interface Reply {
  readonly status: number
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface Question {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly json: unknown
  /** Whether it carries the stand-in's token. */
  readonly isAuthorized: boolean
  /** Whether it carries any token. */
  readonly hasToken: boolean
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, body: JSON.stringify(value), headers: { 'content-type': 'application/json', ...headers } }
}

/** GitHub's form of an error. */
export function refused(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return json({ message, documentation_url: 'https://docs.github.com/rest' }, status, headers)
}
