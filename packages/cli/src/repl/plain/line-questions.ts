import type { ApprovalChoice, Decide, DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import { unanswered } from '@hermes/core/agent/decision.ts'
import { cleanText } from '../clean-text.ts'
import { visibleText } from '../visible-text.ts'

export interface LineQuestionOptions {
  readonly timeoutMs: (kind: DecisionRequest['kind']) => number
  readonly write: (text: string) => void
  /** Shows or hides what is typed. */
  readonly setHidden: (hidden: boolean) => void
}

/** Asks on lines: the next line that the person enters is the answer. One question at a time. */
export class LineQuestions {
  readonly #options: LineQuestionOptions
  #last: Promise<unknown> = Promise.resolve()
  #take: ((line: string) => void) | undefined

  constructor(options: LineQuestionOptions) {
    this.#options = options
  }

  readonly decide: Decide = (request, signal) => {
    const answer = this.#last.then(() => this.#ask(request, signal))
    this.#last = answer.catch(() => undefined)
    return answer
  }

  /** Takes a line as the answer to the open question; false when none is open. */
  answer(line: string): boolean {
    this.#take?.(line)
    return this.#take !== undefined
  }

  async #ask(request: DecisionRequest, signal: AbortSignal): Promise<DecisionAnswer> {
    signal.throwIfAborted()
    const { timeoutMs, write, setHidden } = this.#options
    const asked = Promise.withResolvers<DecisionAnswer>()
    const timer = setTimeout(() => asked.resolve(unanswered(request, 'timeout')), timeoutMs(request.kind))
    const abort = () => asked.reject(signal.reason)
    signal.addEventListener('abort', abort)
    write(questionText(request))
    setHidden(request.kind === 'secret')
    this.#take = (line) => asked.resolve(answerOf(request, line))
    try {
      return await asked.promise
    } finally {
      this.#take = undefined
      setHidden(false)
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    }
  }
}

function questionText(request: DecisionRequest): string {
  if (request.kind === 'approval') {
    const names = request.choices.map((choice) => `[${choice[0]}]${choice.slice(1)}`).join(', ')
    return `Allow this? ${cleanText(request.reason)}\n    ${visibleText(request.subject).replaceAll('\n', '\n    ')}\n${names} (deny): `
  }
  if (request.kind === 'secret') return `${cleanText(request.prompt)} (not shown): `
  const choices = request.choices.map((choice, index) => `\n  ${index + 1}. ${cleanText(choice)}`).join('')
  return `${cleanText(request.question)}${choices}\nYour answer: `
}

/** Consent is a choice's name or first letter; anything else denies. */
function answerOf(request: DecisionRequest, line: string): DecisionAnswer {
  const text = line.trim()
  if (request.kind === 'secret') return { kind: 'secret', value: line, outcome: 'answered' }
  if (request.kind === 'approval') {
    const wanted = text.toLowerCase()
    const choice: ApprovalChoice | undefined = request.choices.find((one) => one === wanted || one[0] === wanted)
    return { kind: 'approval', choice: choice ?? 'deny' }
  }
  if (text === '') return unanswered(request, 'unavailable')
  const picked = /^[1-9]$/.test(text) ? request.choices[Number(text) - 1] : undefined
  return { kind: 'clarify', answer: picked ?? text, outcome: 'answered' }
}
