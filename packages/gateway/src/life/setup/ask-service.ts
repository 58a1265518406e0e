import { z } from 'zod'
import type { CheckResult } from './platform-facts.ts'

/** How long a service may take to answer, ms, and how much of its answer is read, characters. */
const [answerMs, maxChars] = [10_000, 64 * 1024]

export interface ServiceQuestion {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  /** Of the answer: who we are there, or what it has against us. Throws what zod throws where it is another one. */
  readonly read: (status: number, answer: unknown) => CheckResult
}

/** Asks a service who its token belongs to. No answer says what was sent. */
export async function askService(
  { url, method = 'GET', headers = {}, read }: ServiceQuestion,
  signal: AbortSignal,
): Promise<CheckResult> {
  try {
    const both = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
    const answer = await fetch(url, { method, headers, redirect: 'error', signal: both })
    const text = (await answer.text()).slice(0, maxChars)
    return read(answer.status, JSON.parse(text))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SyntaxError || error instanceof z.ZodError) {
      return { state: 'unreachable', reason: `${new URL(url).host} gave an answer that nobody understands` }
    }
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error ? cause.message : String(cause)
    // The address may hold the token.
    return { state: 'unreachable', reason: `${new URL(url).host} cannot be reached (${reason.split('/')[0]?.trim()})` }
  }
}
