import type { Decide, DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import { unanswered } from '@hermes/core/agent/decision.ts'
import type { Theme } from '../theme.ts'
import { decisionPanel } from './decision-panel.ts'
import type { DecisionPanel } from './panel-options.ts'

/** Someone who was typing has to pause this long before keys answer a question, ms. */
const pauseMs = 600
/** How often the time left is drawn, ms. */
const tickMs = 250

export interface AskerOptions {
  readonly theme: Theme
  readonly timeoutMs: (kind: DecisionRequest['kind']) => number
  /** Puts a panel in place of the prompt, or the prompt back. */
  readonly show: (panel: DecisionPanel | undefined) => void
  readonly requestRender: () => void
  /** Whether the person is in the middle of typing something else. */
  readonly isTyping: () => boolean
}

/** Asks the person at the terminal, one question at a time. */
export class Asker {
  readonly #options: AskerOptions
  #last: Promise<unknown> = Promise.resolve()
  #armedAt = 0

  constructor(options: AskerOptions) {
    this.#options = options
  }

  readonly decide: Decide = (request, signal) => {
    const answer = this.#last.then(() => this.#ask(request, signal))
    this.#last = answer.catch(() => undefined)
    return answer
  }

  /** A key was pressed while a question is shown. */
  noticeKey(): void {
    if (!this.#isArmed()) this.#armedAt = performance.now() + pauseMs
  }

  async #ask(request: DecisionRequest, signal: AbortSignal): Promise<DecisionAnswer> {
    signal.throwIfAborted()
    const { theme, timeoutMs, show, requestRender, isTyping } = this.#options
    const asked = Promise.withResolvers<DecisionAnswer>()
    const limit = timeoutMs(request.kind)
    const deadline = performance.now() + limit
    this.#armedAt = isTyping() ? performance.now() + pauseMs : 0
    const panel = decisionPanel(request, {
      theme,
      timeLeft: () => Math.max(0, deadline - performance.now()),
      isArmed: () => this.#isArmed(),
      answer: asked.resolve,
    })
    const timer = setTimeout(() => asked.resolve(unanswered(request, 'timeout')), limit)
    const tick = setInterval(requestRender, tickMs)
    const abort = () => asked.reject(signal.reason)
    signal.addEventListener('abort', abort)
    show(panel)
    try {
      return await asked.promise
    } finally {
      clearTimeout(timer)
      clearInterval(tick)
      signal.removeEventListener('abort', abort)
      show(undefined)
    }
  }

  #isArmed(): boolean {
    return performance.now() >= this.#armedAt
  }
}
