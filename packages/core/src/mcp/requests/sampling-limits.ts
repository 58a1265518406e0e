import type { ServerSettings } from '../settings.ts'

const windowMs = 60_000

/** Which requests for a model one server may make: so many a minute, so many rounds of tools in a row. */
export class SamplingLimits {
  readonly #settings: ServerSettings['sampling']
  readonly #now: () => number
  #times: number[] = []
  #toolRounds = 0

  constructor(settings: ServerSettings['sampling'], now: () => number) {
    this.#settings = settings
    this.#now = now
  }

  /** Counts a request. Returns why it is refused, or undefined. */
  refusal(): string | undefined {
    const { enabled, max_rpm: most } = this.#settings
    if (!enabled) return 'sampling is switched off for this server'
    const from = this.#now() - windowMs
    this.#times = this.#times.filter((time) => time > from)
    if (this.#times.length >= most) return `more than ${most} requests for a model within a minute`
    this.#times.push(this.#now())
    return undefined
  }

  /** Counts an answer that calls tools, or ends the count. Returns whether it may be given. */
  allowsToolRound(callsTools: boolean): boolean {
    this.#toolRounds = callsTools ? this.#toolRounds + 1 : 0
    if (this.#toolRounds <= this.#settings.max_tool_rounds) return true
    this.#toolRounds = 0
    return false
  }

  /** The model to use in place of the side task's own; undefined where that is right. Throws where it may not be used. */
  modelFor(hint: string | undefined): string | undefined {
    const { model, allowed_models: allowed } = this.#settings
    const wanted = model || hint
    if (wanted === undefined || allowed.length === 0) return model || undefined
    if (!allowed.includes(wanted)) throw new Error(`the model ${wanted} is not in sampling.allowed_models`)
    return wanted
  }
}
