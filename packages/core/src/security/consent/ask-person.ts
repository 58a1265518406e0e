import { randomUUID } from 'node:crypto'
import type { ApprovalChoice, DecisionAnswer, DecisionRequest } from '../../agent/decision.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { ConsentQuestion, Danger } from './consent.ts'

export type PersonAnswer = Extract<DecisionAnswer, { kind: 'approval' }>['choice']

/** Longest subject shown in a question, characters. */
const shownChars = 4000

/** How much longer than its face a question waits here, ms, so that the face can end it first. */
const slackMs = 250

/** Asks the person at the face, for at most `approvals.timeout`. */
export async function askPerson(
  { subject }: ConsentQuestion,
  open: readonly Danger[],
  context: ToolContext,
): Promise<PersonAnswer> {
  const { agent, decide, signal } = context
  const choices: ApprovalChoice[] = open.every(({ permanent }) => permanent)
    ? ['once', 'session', 'always', 'deny']
    : ['once', 'session', 'deny']
  const clean = agent.redactor.redact(subject)
  const question: DecisionRequest = {
    kind: 'approval',
    id: randomUUID(),
    subject: clean.length > shownChars ? `${clean.slice(0, shownChars)} …` : clean,
    reason: open.map(({ key }) => key).join(', '),
    keys: open.map(({ key }) => key),
    choices,
  }
  const answer = await inTime(agent.config.approvals.timeout * 1000, signal, (ending) => decide(question, ending))
  if (answer === undefined) return 'timeout'
  if (answer.kind !== 'approval') return 'deny'
  const { choice } = answer
  return choice === 'timeout' || choice === 'unavailable' || choices.includes(choice) ? choice : 'deny'
}

/** What `fn` resolves to; undefined when it takes too long, whether or not it heeds its signal. */
async function inTime<T>(
  timeoutMs: number,
  signal: AbortSignal,
  fn: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const late = new AbortController()
  const end = Promise.withResolvers<undefined>()
  const abort = () => end.reject(signal.reason)
  const timer = setTimeout(
    () => {
      late.abort(new DOMException('nobody answered in time', 'TimeoutError'))
      end.resolve(undefined)
    },
    Math.min(timeoutMs + slackMs, 2 ** 31 - 1),
  )
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    return await Promise.race([fn(AbortSignal.any([signal, late.signal])), end.promise])
  } catch (error) {
    signal.throwIfAborted()
    if (late.signal.aborted) return undefined
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}
