import { randomUUID } from 'node:crypto'
import type { ApprovalChoice, DecisionAnswer, DecisionRequest } from '../../agent/decision.ts'
import type { ToolContext } from '../../tools/tool.ts'
import { userHomeOf } from '../file-safety.ts'
import { absolutePath } from '../file-safety-resolve.ts'
import { type Danger, findDangers } from './dangerous-commands.ts'

/** Whether a command may run. */
export type Consent =
  /** `note`: that a person agreed, for the model. */
  | { readonly allowed: true; readonly note?: string }
  /** `message`: why not, for the model. */
  | { readonly allowed: false; readonly message: string }

export interface CommandRequest {
  readonly command: string
  /** Where it would run; the session's directory when absent. */
  readonly workdir?: string
  readonly background: boolean
}

/** Longest command shown in a question, characters. */
const shownChars = 4000

/**
 * Asks for consent where a command needs it and there is none yet. Silence is a denial, and so is a face where nobody
 * can be asked. Rejects with the reason when the context's signal aborts.
 */
export async function approveCommand(request: CommandRequest, context: ToolContext): Promise<Consent> {
  const { agent, session } = context
  if (agent.config.approvals.mode === 'off' || session.yolo || isOn(agent.environment['HERMES_YOLO_MODE'])) {
    return { allowed: true }
  }
  const userHome = await userHomeOf(agent.home, agent.environment)
  const cwd = absolutePath(request.workdir ?? '.', session.cwd(), userHome)
  const { command, background } = request
  const dangers = await findDangers(command, { cwd, userHome, hermesHome: agent.home.dir, background })
  const open = dangers.filter(({ key }) => !session.approved.has(key) && !session.allowlist.has(key))
  if (open.length === 0) return { allowed: true }
  const reason = open.map(({ key }) => key).join(', ')
  const choice = await ask(command, open, context)
  switch (choice) {
    case 'once':
      return { allowed: true, note: `The user approved this command (${reason}).` }
    case 'session':
      for (const { key } of open) session.approved.add(key)
      return { allowed: true, note: `The user approved this kind of command for the session (${reason}).` }
    case 'always':
      return { allowed: true, note: await allowForGood(open, context) }
    default:
      return { allowed: false, message: refusal(choice, reason, agent.config.approvals.timeout) }
  }
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())
}

type Answer = Extract<DecisionAnswer, { kind: 'approval' }>['choice']

async function ask(command: string, open: readonly Danger[], context: ToolContext): Promise<Answer> {
  const { agent, decide, signal } = context
  const choices: ApprovalChoice[] = open.every(({ permanent }) => permanent)
    ? ['once', 'session', 'always', 'deny']
    : ['once', 'session', 'deny']
  const subject = agent.redactor.redact(command)
  const question: DecisionRequest = {
    kind: 'approval',
    id: randomUUID(),
    subject: subject.length > shownChars ? `${subject.slice(0, shownChars)} …` : subject,
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

/** How much longer than its face a question waits here, ms, so that the face can end it first. */
const slackMs = 250

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

async function allowForGood(open: readonly Danger[], { agent, session }: ToolContext): Promise<string> {
  const keys = open.map(({ key }) => key)
  const kinds = keys.join(', ')
  try {
    await session.allowlist.add(keys)
    return `The user approved this kind of command for good (${kinds}).`
  } catch (error) {
    agent.log.warn({ keys, error: String(error) }, 'an approval could not be stored')
    return `The user approved this kind of command (${kinds}); it could not be stored, so it holds for now only.`
  }
}

function refusal(choice: Answer, reason: string, timeoutSeconds: number): string {
  const doNot = 'Do not run it again, and do not try to reach the same by another command.'
  if (choice === 'deny') return `Blocked: the user denied this command (${reason}). ${doNot} Ask what to do instead.`
  if (choice === 'timeout') {
    return `Blocked: this command needs the user's consent (${reason}), and nobody answered within ${timeoutSeconds} seconds. ${doNot} Tell the user what you wanted to run and why; they can ask you for it again.`
  }
  return `Blocked: this command needs consent (${reason}), and nobody can be asked here. ${doNot} Tell the user; they can run it themselves, start hermes in a terminal and approve it, start it with --yolo, or put the reason into command_allowlist in config.yaml.`
}
