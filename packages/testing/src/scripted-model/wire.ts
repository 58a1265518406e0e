import type { RequestBody, ScriptedAnswer } from './answer.ts'

/** How one provider's API looks on the network. Adding a wire is a folder beside `chat/` and a line in `wires.ts`. */
export interface Wire {
  /** e.g. `chat`. */
  readonly name: string
  /** The path below the base URL, e.g. `/chat/completions`. */
  readonly path: string
  /** What is wrong with a request, or undefined. */
  validate(body: unknown, options: ValidateOptions): string | undefined
  /** Whether the client wants a stream. */
  wantsStream(body: RequestBody): boolean
  /** The answer as frames of a server-sent event stream, each complete with its blank line. */
  frames(answer: ScriptedAnswer, context: AnswerContext): readonly string[]
  /** The frames that say the stream is over. */
  endFrames(answer: ScriptedAnswer): readonly string[]
  /** One frame that carries an error. */
  errorFrame(error: unknown): string
  /** The answer as one JSON body. */
  whole(answer: ScriptedAnswer, context: AnswerContext): unknown
  /** The body of an HTTP error. */
  errorBody(error: { readonly message: string; readonly type?: string; readonly code?: string }): unknown
}

export interface ValidateOptions {
  /** Refuse tool calls whose arguments are no JSON object, as servers do that fill chat templates. */
  readonly strictArguments: boolean
}

export interface AnswerContext {
  /** Which request this answers, from 0. */
  readonly n: number
  readonly body: RequestBody
}
