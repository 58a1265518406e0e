/** One answer of the scripted model, in words that every wire can say. Plain JSON, so that a file can hold a script. */
export interface ScriptedAnswer {
  /** What it says. A string is sent word by word; a list is sent in exactly these pieces. */
  readonly text?: string | readonly string[]
  /** What it thinks, before the text. */
  readonly reasoning?: string | readonly string[]
  /** The field that carries `reasoning` on the chat wire. Default `reasoning_content`. */
  readonly reasoningField?: 'reasoning_content' | 'reasoning'
  /** Opaque reasoning items; each is sent in a chunk of its own (`reasoning_details` on the chat wire). */
  readonly reasoningDetails?: readonly Readonly<Record<string, unknown>>[]
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** Whether pieces of the calls alternate on the wire instead of coming call by call. */
  readonly interleaved?: boolean
  /** Default `tool_calls` when there are calls, else `stop`. Null: none is sent. */
  readonly finishReason?: string | null
  /** Counts on the chat wire's names; a default is sent when absent, nothing when null. */
  readonly usage?: Readonly<Record<string, unknown>> | null
  /** False: the stream ends without its end mark (`[DONE]` on the chat wire). */
  readonly endMark?: boolean
  /** Raw wire objects that are sent in place of everything above. */
  readonly rawChunks?: readonly unknown[]
  /** Headers of the answer besides the wire's own, e.g. those of rate limits. */
  readonly headers?: Readonly<Record<string, string>>
  /** Wait before anything is sent. */
  readonly delayMs?: number
  /** Wait between two chunks: slow tokens. */
  readonly chunkDelayMs?: number
  /** Cuts the stream into pieces of so many bytes, without regard to characters or frames. */
  readonly pieceBytes?: number
  readonly fault?: Fault
}

export interface ScriptedToolCall {
  /** Default `call_<request>_<position>`. Null: none is sent. */
  readonly id?: string | null
  readonly name: string
  /** JSON text sent as it is (a list: in exactly these pieces), or an object that is encoded. */
  readonly arguments?: string | readonly string[] | Readonly<Record<string, unknown>>
  /** Position on the wire. Default its place in the list; null: none is sent. */
  readonly index?: number | null
  /** Further fields of the call on the wire, e.g. `extra_content`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** What goes wrong. `afterChunks` counts the chunks that are sent whole before it does. */
export type Fault =
  /** An HTTP error. The body is the wire's usual error object with `message`, unless `body` is given. */
  | {
      readonly type: 'http'
      readonly status: number
      readonly message?: string
      readonly errorType?: string
      readonly errorCode?: string
      /** Sent as it is when a string, as JSON otherwise. */
      readonly body?: unknown
      readonly headers?: Readonly<Record<string, string>>
    }
  /** The connection breaks: before the headers when `afterChunks` is absent. */
  | { readonly type: 'drop'; readonly afterChunks?: number }
  /** Nothing more comes, and the connection stays open: not even headers when `afterChunks` is absent. */
  | { readonly type: 'stall'; readonly afterChunks?: number }
  /** Comments and nothing else, for ever. */
  | { readonly type: 'ping-only'; readonly everyMs: number }
  /** A frame that is no JSON. The rest follows. */
  | { readonly type: 'malformed-frame'; readonly afterChunks: number }
  /** An error object inside a stream that began well. Nothing follows. */
  | { readonly type: 'error-object'; readonly afterChunks: number; readonly error: unknown }

/** Answers by turn, or a function that sees the request. `n` counts model requests from 0. */
export type Script =
  | readonly ScriptedAnswer[]
  | ((request: RecordedRequest, n: number) => ScriptedAnswer | Promise<ScriptedAnswer>)

/** One request as it came in. Times are `process.hrtime.bigint()`, one clock for all processes of a machine. */
export interface RecordedRequest {
  /** Which wire it spoke, e.g. `chat`. */
  readonly wire: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The parsed body. */
  readonly body: RequestBody
  /** What was wrong with it; such a request was answered 400. */
  readonly problem: string | undefined
  readonly arrivedAtNs: bigint
  /** When the last byte of the answer was handed to the system, or the connection ended. */
  readonly endedAtNs: bigint | undefined
  /** Whether the client hung up before the answer was complete. */
  readonly hungUp: boolean
}

/** The fields of a request body that tests look at; the rest is there too. */
export interface RequestBody {
  readonly model?: string
  readonly stream?: boolean
  readonly messages?: readonly WireMessage[]
  readonly tools?: readonly { readonly type: string; readonly function: { readonly name: string } }[]
  readonly [key: string]: unknown
}

/** A message of the chat wire. */
export interface WireMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_call_id?: string
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: string
    readonly function: { readonly name: string; readonly arguments: string }
    readonly [key: string]: unknown
  }[]
  readonly [key: string]: unknown
}
