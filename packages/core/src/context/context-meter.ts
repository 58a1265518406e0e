import type { ModelRequest, ToolSchema, Usage } from '../models/model.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import { createSharedEstimates } from './shared-estimates.ts'
import type { SharedEstimates } from './shared-estimates.ts'
import { estimateMessageTokens, estimateTextTokens } from './token-estimate.ts'

/** Between these, what a provider counts is taken for true; some servers count only what was not cached, or nothing. */
const [leastRatio, mostRatio] = [0.4, 2.5]

type Measured = Pick<ModelRequest, 'model' | 'messages' | 'tools'>

/**
 * Measures what one conversation sends, in tokens: estimated, and corrected by how far the estimate of its last request
 * was from what the provider counted.
 */
export class ContextMeter {
  /** Estimates are made once; messages never change. */
  readonly #known = new WeakMap<TranscriptMessage, number>()
  readonly #estimates: SharedEstimates
  #ratio = 1
  #model = ''

  /** `estimates`: those of what sessions have in common, where they share them. */
  constructor(estimates: SharedEstimates = createSharedEstimates()) {
    this.#estimates = estimates
  }

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
    const known = this.#known.get(message)
    if (known !== undefined) return known
    const tokens = message.role === 'system' ? this.#estimates.system(message) : estimateMessageTokens(message)
    this.#known.set(message, tokens)
    return tokens
  }

  #estimateTools(tools: readonly ToolSchema[]): number {
    return tools.reduce((sum, tool) => sum + this.#estimates.tool(tool), 0)
  }
}
