import type { Environment } from '../../agent/context.ts'
import type { Config } from '../../config/schema.ts'
import type { ToolContext } from '../../tools/tool.ts'
import { auditDecision } from '../audit-log.ts'
import { askPerson } from './ask-person.ts'
import type { PersonAnswer } from './ask-person.ts'
import { judgeBySmartModel } from './smart-judge.ts'

/** A kind of danger. */
export interface Danger {
  /** What an approval is stored under; people read it as the reason. */
  readonly key: string
  /** Whether it can be allowed for good: not where nobody can say what that would cover. */
  readonly permanent: boolean
}

/** Something that needs consent. */
export interface ConsentQuestion {
  readonly kind: 'command' | 'script' | 'tool'
  /** What would be done, e.g. the command line. */
  readonly subject: string
  /** Empty: nothing needs to be asked. */
  readonly dangers: readonly Danger[]
  /** It would happen in a container that cannot touch this machine. */
  readonly isContained?: boolean
}

/** Whether it may be done. */
export type Consent =
  /** `note`: that a person agreed, for the model. */
  | { readonly allowed: true; readonly note?: string }
  /** `message`: why not, for the model. */
  | { readonly allowed: false; readonly message: string }

/** Who decided, for the audit log. */
export type Decider = 'person' | 'model' | 'session' | 'allowlist' | 'setting' | 'yolo' | 'nobody' | 'timeout'

/**
 * The one place where consent is given or not. Asks where there is a danger that nobody has agreed to yet: with
 * `approvals.mode: smart` a model first, which can send the question on to the person but cannot decide on what is beyond
 * it. Silence is a denial, and so is a face where nobody can be asked. Every decision is in the audit log. Rejects with
 * the reason when the context's signal aborts.
 */
export async function askConsent(question: ConsentQuestion, context: ToolContext): Promise<Consent> {
  const { session } = context
  if (question.dangers.length === 0) return { allowed: true }
  const record = (decider: Decider, decision: 'allowed' | 'denied', scope?: string) =>
    auditDecision({ question, decider, decision, ...(scope && { scope }) }, context)
  const { config, environment } = context.agent
  const waived = waiverOf(question, { config, environment, yolo: session.yolo })
  if (waived) {
    record(waived, 'allowed')
    return { allowed: true }
  }
  const open = question.dangers.filter(({ key }) => !session.approved.has(key) && !session.allowlist.has(key))
  if (open.length === 0) {
    record(question.dangers.some(({ key }) => session.approved.has(key)) ? 'session' : 'allowlist', 'allowed')
    return { allowed: true }
  }
  const judged = await judgeBySmartModel(question, open, context)
  if (judged) {
    record('model', judged.allowed ? 'allowed' : 'denied')
    return judged
  }
  const answer = await askPerson(question, open, context)
  const decider = answer === 'timeout' ? 'timeout' : answer === 'unavailable' ? 'nobody' : 'person'
  const isAllowed = answer === 'once' || answer === 'session' || answer === 'always'
  record(decider, isAllowed ? 'allowed' : 'denied', isAllowed ? answer : undefined)
  return consentOf(answer, question, open, context)
}

/** What can give consent in advance, to everything. */
export interface WaiverSources {
  readonly config: Pick<Config, 'approvals'>
  readonly environment: Environment
  /** The session was told to ask nothing. */
  readonly yolo: boolean
}

/** By what consent was given in advance; undefined where it was not. */
export function waiverOf(
  { isContained }: Pick<ConsentQuestion, 'isContained'>,
  { config, environment, yolo }: WaiverSources,
): 'setting' | 'yolo' | undefined {
  const { mode, trust_containers: trustContainers } = config.approvals
  if (mode === 'off' || (isContained && trustContainers)) return 'setting'
  return yolo || isOn(environment['HERMES_YOLO_MODE']) ? 'yolo' : undefined
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase())
}

async function consentOf(
  answer: PersonAnswer,
  { kind }: ConsentQuestion,
  open: readonly Danger[],
  context: ToolContext,
): Promise<Consent> {
  const reason = open.map(({ key }) => key).join(', ')
  switch (answer) {
    case 'once':
      return { allowed: true, note: `The user approved this ${kind} (${reason}).` }
    case 'session':
      for (const { key } of open) context.session.approved.add(key)
      return { allowed: true, note: `The user approved this kind of ${kind} for the session (${reason}).` }
    case 'always':
      return { allowed: true, note: await allowForGood(kind, open, context) }
    default:
      return { allowed: false, message: refusal(answer, kind, reason, context.agent.config.approvals.timeout) }
  }
}

async function allowForGood(
  kind: ConsentQuestion['kind'],
  open: readonly Danger[],
  { agent, session }: ToolContext,
): Promise<string> {
  const keys = open.map(({ key }) => key)
  const kinds = keys.join(', ')
  try {
    await session.allowlist.add(keys)
    return `The user approved this kind of ${kind} for good (${kinds}).`
  } catch (error) {
    agent.log.warn({ keys, error: String(error) }, 'an approval could not be stored')
    return `The user approved this kind of ${kind} (${kinds}); it could not be stored, so it holds for now only.`
  }
}

function refusal(answer: PersonAnswer, kind: string, reason: string, timeoutSeconds: number): string {
  const doNot = `Do not run it again, and do not try to reach the same by another ${kind}.`
  if (answer === 'deny') return `Blocked: the user denied this ${kind} (${reason}). ${doNot} Ask what to do instead.`
  if (answer === 'timeout') {
    return `Blocked: this ${kind} needs the user's consent (${reason}), and nobody answered within ${timeoutSeconds} seconds. ${doNot} Tell the user what you wanted to run and why; they can ask you for it again.`
  }
  return `Blocked: this ${kind} needs consent (${reason}), and nobody can be asked here. ${doNot} Tell the user; they can run it themselves, start hermes in a terminal and approve it, start it with --yolo, or put the reason into command_allowlist in config.yaml.`
}
