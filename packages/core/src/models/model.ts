import type { AuxiliaryTask } from './auxiliary.ts'
import type { KeyLimits } from './rate-limits.ts'
import type { TurnMessage } from './routing.ts'
import type { ToolCall, TranscriptMessage } from './transcript.ts'

/** A tool as the model sees it. */
export interface ToolSchema {
  readonly name: string
  readonly description: string
  /** JSON Schema of the arguments, always of `type: object`. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'ultra'

/** One call of a model. */
export interface ModelRequest {
  /** The provider's own name of the model, without our provider prefix. */
  readonly model: string
  /** The whole transcript; a system message, if there is one, comes first. Always well formed. */
  readonly messages: readonly TranscriptMessage[]
  readonly tools: readonly ToolSchema[]
  /** `none`: the tools are shown (so that caches hold) but must not be called. Default `auto`. */
  readonly toolChoice?: 'auto' | 'none'
  readonly maxOutputTokens?: number
  readonly reasoningEffort?: ReasoningEffort
  /** Asks for faster service, for more money, where the model's provider has it. */
  readonly priority?: boolean
  /** For providers that keep a cache per conversation. */
  readonly sessionId?: string
}

/** Tokens of one or more model calls. `inputTokens` counts what was neither read from nor written to a cache. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** Part of `outputTokens` spent on reasoning, where told. */
  readonly reasoningTokens: number
  /** What the provider says that it charged, USD; of several calls, those that it said it of. */
  readonly costUsd?: number
  /** Of one call: a subscription pays for it, so that its tokens have no price. */
  readonly isIncluded?: true
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'

/** What a model answers, in order. A stream ends with exactly one `finish`, or throws a `ModelError`. */
export type ModelEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** A call begins to arrive: its name is known, its arguments are not yet. */
  | { readonly type: 'tool-call-start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  /** Something people should know while they wait: another key is used. `code` is a `ModelErrorCode`. */
  | { readonly type: 'notice'; readonly code: string; readonly message: string }
  | {
      readonly type: 'finish'
      readonly reason: FinishReason
      /** Absent where the provider does not tell. */
      readonly usage?: Usage
      /** What is left of the limits of the key that was used; absent where the provider does not tell. */
      readonly rateLimits?: KeyLimits
      readonly reasoningDetails?: unknown
      readonly codexReasoningItems?: unknown
    }

/** What is known of a model. */
export interface ModelInfo {
  readonly id: string
  /** Context window, tokens. */
  readonly contextLength?: number
  readonly maxOutputTokens?: number
}

/** One place that serves models. Everything Hermes knows of its wire is behind this. */
export interface ModelProvider {
  /** Registry key and first part of a model reference, e.g. `openrouter`. */
  readonly name: string
  /** It only carries out instructions: it cannot be asked to write (a title, a summary). */
  readonly isInterpreter?: true
  /** None of its models looks at images. */
  readonly isTextOnly?: true
  /** Streams one answer. Throws `ModelError`; when `signal` aborts, its reason. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>
  /** The models it serves, where it can tell. */
  models?(signal: AbortSignal): Promise<readonly ModelInfo[]>
}

/** A provider and a model of it, ready to be called. */
export interface ResolvedModel {
  readonly provider: ModelProvider
  /** The provider's own name of the model. */
  readonly model: string
  /** Where calls go, for the session's billing columns. Absent for models in the process. */
  readonly baseUrl?: string
  /** Context window, tokens. */
  readonly contextLength: number
  readonly maxOutputTokens?: number
  /** Keeps a window that the provider itself named, for later runs. Never fails. */
  readonly keepWindow?: (tokens: number) => Promise<void>
  /** Shown once when the turn starts, e.g. that the offline model is in use. */
  readonly notice?: string
  /** The next model to use when this one fails for good; resolves to undefined when there is none left. */
  readonly fallback?: (signal: AbortSignal) => Promise<ResolvedModel | undefined>
  /** Another model at the same place. Throws `ModelError`. */
  readonly sibling?: (model: string, signal: AbortSignal) => Promise<ResolvedModel>
}

/** Finds models by what a person or the configuration calls them. */
export interface Models {
  /**
   * The model to use. `wanted` is `provider/model`, a bare model name, or absent for the configured one; then `message`
   * may be simple enough for a cheaper one. Throws `ModelError` with code `not-configured` or `model-not-found` saying
   * what to do.
   */
  resolve(wanted: string | undefined, signal: AbortSignal, message?: TurnMessage): Promise<ResolvedModel>
  /**
   * The models of a side task, as its settings say, in the order in which they are tried; `main` is the turn's own. Empty
   * where none can write. Throws `ModelError` where the one that is set cannot be used.
   */
  auxiliary(task: AuxiliaryTask, main: ResolvedModel, signal: AbortSignal): Promise<readonly ResolvedModel[]>
  /** The model of a sub-agent: the one that is asked for, else that of the settings, else `main`. Throws `ModelError`. */
  delegate(wanted: string | undefined, main: ResolvedModel, signal: AbortSignal): Promise<ResolvedModel>
  /** The limits that providers told last, of each key that was used; the one told last comes first. */
  rateLimits(): readonly KeyLimits[]
  /** Frees the memory of a model that runs in this process. No call may come after it. */
  close?(): Promise<void>
}

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
}

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...((a.costUsd ?? b.costUsd) !== undefined && { costUsd: (a.costUsd ?? 0) + (b.costUsd ?? 0) }),
  }
}
