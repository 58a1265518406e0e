import type { RequestBody, ScriptedAnswer } from './answer.ts'

/** How one provider's API looks on the network. Adding a wire is a folder beside `chat/` and a line in `wires.ts`. */
export interface Wire {
  /** e.g. `chat`. */
  readonly name: string
  /** Whether a path is one of its calls. */
  matches(path: string): boolean
  /** Media type of its streams. */
  readonly streamType: string
  /** What is wrong with a request, or undefined. */
  validate(body: unknown, options: ValidateOptions): string | undefined
  /** Whether the client wants a stream. */
  wantsStream(body: RequestBody): boolean
  /** The answer as frames of a stream, each complete. */
  frames(answer: ScriptedAnswer, context: AnswerContext): readonly Frame[]
  /** The frames that say the stream is over. */
  endFrames(answer: ScriptedAnswer, context: AnswerContext): readonly Frame[]
  /** One frame that carries an error. */
  errorFrame(error: unknown): Frame
  /** One that is broken, and one that only says that the server lives. */
  readonly malformedFrame: Frame
  readonly pingFrame: Frame
  /** The answer as one JSON body. */
  whole(answer: ScriptedAnswer, context: AnswerContext): unknown
  /** The body of an HTTP error. */
  errorBody(error: { readonly message: string; readonly type?: string; readonly code?: string }): unknown
  /** Whether a request carries the key; the others' way is a bearer token or `x-api-key`. */
  authenticates?(request: PlainRequest, apiKey: string): Promise<boolean>
}

export type Frame = string | Uint8Array

/** A request as it came in. */
export interface PlainRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** What all wires of server-sent events have in common. */
export const eventStream = {
  streamType: 'text/event-stream; charset=utf-8',
  malformedFrame: 'data: {"choices":[{"delta":{"content":"ha\n\n',
  pingFrame: ': still here\n\n',
} as const

export interface ValidateOptions {
  /** Refuse tool calls whose arguments are no JSON object, as servers do that fill chat templates. */
  readonly strictArguments: boolean
}

export interface AnswerContext {
  /** Which request this answers, from 0. */
  readonly n: number
  readonly body: RequestBody
}
