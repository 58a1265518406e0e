import type { ModelRequest, ToolSchema, Usage } from '../models/model.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import { estimateMessageTokens, estimateTextTokens, estimateToolTokens } from './token-estimate.ts'

/** Between these, what a provider counts is taken for true; some servers count only what was not cached, or nothing. */
const [leastRatio, mostRatio] = [0.4, 2.5]

type Measured = Pick<ModelRequest, 'model' | 'messages' | 'tools'>

/**
 * Measures what one conversation sends, in tokens: estimated, and corrected by how far the estimate of its last request
 * was from what the provider counted.
 */
export class ContextMeter {
  /** Estimates are made once; neither messages nor schemas ever change. */
  readonly #known = new WeakMap<TranscriptMessage | ToolSchema, number>()
  #ratio = 1
  #model = ''

  /** Tokens of one message. */
  message(message: TranscriptMessage): number {
    return Math.ceil(this.#ratio * this.#estimate(message))
  }

  messages(messages: readonly TranscriptMessage[]): number {
    return messages.reduce((sum, message) => sum + this.message(message), 0)
  }

  text(text: string): number {
    return Math.ceil(this.#ratio * estimateTextTokens(text))
  }

  /** Tokens of a whole request. */
  request({ messages, tools }: Measured): number {
    return this.messages(messages) + Math.ceil(this.#ratio * this.#estimateTools(tools))
  }

  /** Takes what the provider counted for a request. */
  learn(request: Measured, usage: Usage): void {
    this.learnTokens(request, usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens)
  }

  /** Takes what a request really was. */
  learnTokens(request: Measured, tokens: number): void {
    const estimated = request.messages.reduce((sum, message) => sum + this.#estimate(message), 0)
    const ratio = tokens / (estimated + this.#estimateTools(request.tools))
    if (this.#model !== request.model) this.#ratio = 1
    this.#model = request.model
    if (ratio >= leastRatio && ratio <= mostRatio) this.#ratio = ratio
  }

  #estimate(message: TranscriptMessage): number {
    return this.#known.get(message) ?? this.#keep(message, estimateMessageTokens(message))
  }

  #estimateTools(tools: readonly ToolSchema[]): number {
    return tools.reduce((sum, tool) => sum + (this.#known.get(tool) ?? this.#keep(tool, estimateToolTokens([tool]))), 0)
  }

  #keep(key: TranscriptMessage | ToolSchema, tokens: number): number {
    this.#known.set(key, tokens)
    return tokens
  }
}
