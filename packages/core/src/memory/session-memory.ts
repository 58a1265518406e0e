import type { TranscriptMessage } from '../models/transcript.ts'
import type { Clock } from '../agent/clock.ts'
import type { Logger } from '../log/logger.ts'
import type { Redactor } from '../security/redact.ts'
import type {
  FinishedDelegation,
  FinishedTurn,
  MemoryProvider,
  MemoryProviderStart,
  WrittenNote,
} from './memory-provider.ts'
import { RecalledBlocks } from './recalled-blocks.ts'
import { cleanRecalled } from './recalled-text.ts'

/** How long a provider may take for its parts of the work, ms. */
export interface MemoryLimits {
  /** A message waits for it. */
  readonly recallMs: number
  /** One thing to be kept, in the background. */
  readonly keepMs: number
  /** The end of a session, or a compaction, waits for it. */
  readonly sessionMs: number
  /** The end of the scope waits for what is under way. */
  readonly closeMs: number
}

export const usualLimits: MemoryLimits = { recallMs: 5_000, keepMs: 30_000, sessionMs: 10_000, closeMs: 5_000 }

/** Most things that wait to be kept; the oldest are dropped. */
const maxWaiting = 100

/** Longest question to a provider, characters. */
const maxQueryChars = 4_000

/** Longest text that a provider is given of one side of a turn, characters. */
const maxKeptChars = 50_000

/** After a recall that failed, messages do without for so long, ms. */
const recallPauseMs = 60_000

export interface SessionMemoryOptions {
  readonly provider: MemoryProvider
  readonly role: MemoryProviderStart['role']
  readonly clock: Clock
  readonly log: Logger
  readonly redactor: Redactor
  readonly limits: MemoryLimits
}

/**
 * A provider as one session uses it: within time limits, with secrets masked, and with every failure logged and told
 * once. Nothing of it throws, except for the reason of a signal that is given.
 */
export class SessionMemory {
  readonly provider: MemoryProvider
  /** What was recalled in this session, by message. */
  readonly recalled = new RecalledBlocks()
  readonly #options: SessionMemoryOptions
  readonly #stop = new AbortController()
  readonly #told = new Set<string>()
  readonly #waiting: (() => Promise<void>)[] = []
  #working: Promise<void> | undefined
  #problem: string | undefined
  #hasToldProblem = false
  #noRecallBefore = 0
  #closing: Promise<void> | undefined

  constructor(options: SessionMemoryOptions) {
    this.#options = options
    this.provider = options.provider
  }

  /** What went wrong first, for people; told once a session. */
  takeProblem(): string | undefined {
    if (this.#hasToldProblem || this.#problem === undefined) return undefined
    this.#hasToldProblem = true
    return this.#problem
  }

  /** What is known that bears on a message and that the session has not been given yet; empty where nothing is. */
  async recall(query: string, signal: AbortSignal): Promise<string> {
    const { provider, clock, limits, redactor } = this.#options
    if (!provider.recall || query.trim() === '' || clock.now() < this.#noRecallBefore) return ''
    const asked = redactor.redact(query).slice(0, maxQueryChars).toWellFormed()
    const raw = await this.#attempt('recall', limits.recallMs, (within) => provider.recall?.(asked, within), signal)
    if (raw === undefined) {
      this.#noRecallBefore = clock.now() + recallPauseMs
      return ''
    }
    const { text, refused } = cleanRecalled(raw, this.#told, (given) => redactor.redact(given))
    if (refused.length > 0) {
      this.#fail('recall', `what it recalled tried to steer the agent (${refused.join(', ')}) and was left out`)
    }
    return text
  }

  /** Leaves what was recalled for earlier messages out of requests; false where there is nothing of it. */
  forgetRecalled(history: readonly TranscriptMessage[]): boolean {
    if (this.recalled.size < 2) return false
    this.moveTo(history)
    return true
  }

  /** The conversation was made shorter: what it was given before may be given again. */
  moveTo(history: readonly TranscriptMessage[]): void {
    this.#told.clear()
    this.recalled.moveTo(history)
  }

  /** Keeps a turn, in the background. */
  keepTurn(turn: FinishedTurn): void {
    const { provider, limits } = this.#options
    const clean = { ...turn, user: this.#kept(turn.user), assistant: this.#kept(turn.assistant) }
    this.#enqueue('turn', limits.keepMs, (signal) => provider.keepTurn?.(clean, signal))
  }

  keepNote(note: WrittenNote): void {
    const { provider, limits } = this.#options
    this.#enqueue('note', limits.keepMs, (signal) => provider.keepNote?.(note, signal))
  }

  keepDelegation(delegation: FinishedDelegation): void {
    const { provider, limits } = this.#options
    const { task, result } = delegation
    const clean = { ...delegation, task: this.#kept(task), result: this.#kept(result) }
    this.#enqueue('delegation', limits.keepMs, (signal) => provider.keepDelegation?.(clean, signal))
  }

  /** Takes from a conversation that ends what should stay, after what waits before it. */
  async keepSession(messages: readonly TranscriptMessage[], signal: AbortSignal): Promise<void> {
    const { provider, limits } = this.#options
    if (!provider.keepSession || !this.#keeps) return
    const work = async (within: AbortSignal) => {
      await abortable(this.#drained(), within)
      await provider.keepSession?.(this.#clean(messages), within)
    }
    await this.#attempt('session', limits.sessionMs, work, signal)
  }

  /** What a summary of these messages should not lose. */
  async beforeCompression(messages: readonly TranscriptMessage[], signal: AbortSignal): Promise<string> {
    const { provider, limits, redactor } = this.#options
    if (!provider.beforeCompression || !this.#keeps) return ''
    const work = (within: AbortSignal) => provider.beforeCompression?.(this.#clean(messages), within)
    const raw = (await this.#attempt('compression', limits.sessionMs, work, signal)) ?? ''
    return cleanRecalled(raw, new Set(), (text) => redactor.redact(text)).text
  }

  /** Waits for what is under way, a bounded time, and closes the provider. Safe to call twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { provider, limits } = this.#options
    const within = AbortSignal.timeout(limits.closeMs)
    await abortable(this.#drained(), within).catch(() => undefined)
    this.#waiting.length = 0
    this.#stop.abort(new DOMException('The session was closed.', 'AbortError'))
    await this.#attempt('close', limits.closeMs, (signal) => provider.close?.(signal), new AbortController().signal)
  }

  /** Only a person's own session is remembered. */
  get #keeps(): boolean {
    return this.#options.role === 'primary'
  }

  #kept(text: string): string {
    return this.#options.redactor.redact(text).slice(0, maxKeptChars).toWellFormed()
  }

  #clean(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
    return messages.map((message) => ({ ...message, content: this.#kept(message.content) }))
  }

  #enqueue(what: string, limitMs: number, work: (signal: AbortSignal) => Promise<void> | undefined): void {
    if (!this.#keeps || this.#closing) return
    if (this.#waiting.length >= maxWaiting) {
      this.#waiting.shift()
      this.#fail(what, 'it is too slow: the oldest of what waits to be kept was dropped')
    }
    this.#waiting.push(() => this.#attempt(what, limitMs, work, this.#stop.signal).then(() => undefined))
    this.#working ??= this.#workOff().finally(() => (this.#working = undefined))
  }

  async #workOff(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) await next()
  }

  async #drained(): Promise<void> {
    while (this.#working) await this.#working
  }

  /**
   * Does something with the provider, whether or not it heeds its signal. Resolves to undefined where it fails; throws
   * the reason where the caller's signal aborts.
   */
  async #attempt<Value>(
    what: string,
    limitMs: number,
    work: (signal: AbortSignal) => Promise<Value> | undefined,
    signal: AbortSignal,
  ): Promise<Value | undefined> {
    const timeout = AbortSignal.timeout(limitMs)
    const within = AbortSignal.any([signal, timeout])
    try {
      within.throwIfAborted()
      return await abortable(Promise.resolve(work(within)), within)
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined
      signal.throwIfAborted()
      this.#fail(what, timeout.aborted ? `it did not answer within ${limitMs / 1000} s` : messageOf(error))
      return undefined
    }
  }

  #fail(what: string, why: string): void {
    const { provider, log, redactor } = this.#options
    const reason = redactor.redact(why)
    log.warn({ memory: provider.name, what, error: reason }, 'memory provider failed')
    this.#problem ??= `The memory provider ${provider.name} could not be used (${what}): ${reason} "hermes memory status" says more.`
  }
}

/** What `work` resolves to, unless the signal aborts before: then its reason, whatever `work` does. */
async function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  // Nobody may be waiting any more when it fails.
  work.catch(() => undefined)
  try {
    if (signal.aborted) abort()
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
