import type { AgentContext } from '../agent/context.ts'
import { nobody } from '../agent/decision.ts'
import type { TurnEvent } from '../agent/events.ts'
import { runTurn } from '../agent/run-turn.ts'
import type { TurnRequest } from '../agent/turn.ts'
import { CronError } from './cron-error.ts'
import type { InterruptedTime } from './claim-due.ts'
import { isLocal } from './delivery.ts'
import type { CronDelivery } from './delivery.ts'
import { InactivityTimer } from './inactivity.ts'
import type { CronJob } from './job.ts'
import { deliveryTarget } from './job.ts'
import { compactStamp, writeReport } from './job-output.ts'
import { jobModel } from './job-model.ts'
import { cronHint, jobPrompt } from './job-prompt.ts'
import { runScript } from './run-script.ts'

/** How a job's run ended. */
export interface JobResult {
  readonly response: string
  /** Undefined where it went well. */
  readonly error: string | undefined
  readonly deliveryError: string | undefined
  readonly outputPath: string | undefined
}

export interface JobRun {
  readonly job: CronJob
  readonly sessionId: string
  /** Ms since 1970. */
  readonly scheduledAt: number
  readonly agent: AgentContext
  readonly delivery: CronDelivery
}

/** Toolsets that a job never has: it makes no jobs, and nobody is there to be written to or asked. */
const withheld: ReadonlySet<string> = new Set(['cronjob', 'messaging', 'clarify'])

const usualToolset = 'hermes-cron'

/** Longest that a message may take to be sent. */
const deliveryTimeoutMs = 120_000

/** The session of a run that begins at `at`. */
export function runSessionId(job: CronJob, at: number, clock: AgentContext['clock']): string {
  return `cron_${job.id}_${compactStamp(clock, at)}`
}

/**
 * Runs a job once, in a session of its own: script, prompt, turn, report, delivery. What goes wrong is in the result; when
 * `signal` aborts, the result says that it was stopped.
 */
export async function runJob(run: JobRun, signal: AbortSignal): Promise<JobResult> {
  const { job, agent } = run
  const startedAt = agent.clock.now()
  const told = await carryOut(run, signal)
  const outputPath = await keepReport({ job, startedAt, ...told }, agent)
  const deliveryError = await deliver(run, told, signal)
  return { response: told.response, error: told.error, deliveryError, outputPath }
}

/** Tells of a time whose process was killed. Where its answer is queued already the same key keeps this from being said. */
export async function tellInterrupted(
  { job, scheduledAt, error }: InterruptedTime,
  { agent, delivery }: Pick<JobRun, 'agent' | 'delivery'>,
  signal: AbortSignal,
): Promise<void> {
  agent.log.warn({ job: job.id, scheduledAt }, 'scheduled job was interrupted')
  await deliver({ job, scheduledAt, agent, delivery }, { response: '', error }, signal)
}

interface Told {
  readonly prompt: string
  readonly response: string
  readonly error: string | undefined
}

async function carryOut(run: JobRun, signal: AbortSignal): Promise<Told> {
  const { job, agent } = run
  let prompt = job.prompt
  try {
    const { checkPrompt } = await import('./check-prompt.ts')
    checkPrompt(job.prompt)
    const script = job.script ? await scriptResult(job.script, agent, signal) : undefined
    prompt = await jobPrompt(job, script, agent)
    return { prompt, ...(await answer(prompt, run, signal)) }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (!signal.aborted && !(error instanceof CronError)) agent.log.error({ job: job.id, error: message }, 'job broke')
    return { prompt, response: '', error: agent.redactor.redact(signal.aborted ? stoppedText : message) }
  }
}

const stoppedText = 'The run was stopped before it ended.'

/** A script that may not be run is told in the prompt, as one that fails is. */
async function scriptResult(script: string, agent: AgentContext, signal: AbortSignal) {
  try {
    return await runScript(script, agent, signal)
  } catch (error) {
    if (error instanceof CronError) return { isOk: false, output: error.message }
    throw error
  }
}

async function answer(prompt: string, run: JobRun, signal: AbortSignal): Promise<Omit<Told, 'prompt'>> {
  const { job, sessionId, agent } = run
  using silence = new InactivityTimer(agent.environment['HERMES_CRON_TIMEOUT'])
  const stop = AbortSignal.any([signal, silence.signal])
  const request: TurnRequest = {
    session: { id: sessionId, source: 'cron' },
    message: { text: prompt },
    face: { name: 'cron', decide: nobody, contextFiles: false, promptHint: cronHint },
    minimalPrompt: true,
    toolsets: jobToolsets(agent),
    ...(await jobModel(job, agent, stop)),
  }
  let end: Extract<TurnEvent, { type: 'turn-end' }> | undefined
  let session = sessionId
  try {
    for await (const event of runTurn(request, agent, stop)) {
      silence.reset()
      if (event.type === 'compaction') session = event.sessionId
      if (event.type === 'turn-end') end = event
    }
  } finally {
    await agent.scopes.close(session)
    if (await agent.sessions.get(session)) await agent.sessions.end(session, 'cron_complete')
  }
  const response = end?.text.trim() ?? ''
  return { response, error: errorOf(end, silence, signal) }
}

function errorOf(
  end: Extract<TurnEvent, { type: 'turn-end' }> | undefined,
  silence: InactivityTimer,
  signal: AbortSignal,
): string | undefined {
  if (end?.status === 'completed') return undefined
  if (signal.aborted) return stoppedText
  if (silence.signal.aborted) return `Nothing happened for ${silence.seconds} s (HERMES_CRON_TIMEOUT); it was stopped.`
  return end?.failure?.message ?? `The turn ended as ${end?.status ?? 'nothing'}.`
}

/** What the settings give to scheduled jobs; a face's whole set is theirs without what they never have. */
function jobToolsets({ config }: AgentContext): readonly string[] {
  const names = config.platform_toolsets['cron'] ?? [usualToolset]
  const isWhole = (name: string) => name.startsWith('hermes-') || name === 'all' || name === '*'
  const own = names.map((name) => (isWhole(name) ? usualToolset : name))
  return own.filter((name) => !withheld.has(name.replace(/_tools$/, '')))
}

async function keepReport(report: Parameters<typeof writeReport>[0], agent: AgentContext): Promise<string | undefined> {
  try {
    return await writeReport(report, agent)
  } catch (error) {
    // A full disk is no reason to keep the answer from its person.
    agent.log.error({ job: report.job.id, error: String(error) }, 'the output of a job is not kept')
    return undefined
  }
}

/** Resolves to what went wrong. */
async function deliver(
  { job, scheduledAt, agent, delivery }: Omit<JobRun, 'sessionId'>,
  told: Omit<Told, 'prompt'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isSilent = told.error === undefined && (told.response === '' || /\[SILENT\]/i.test(told.response))
  if (isSilent || isLocal(job)) return undefined
  const content = told.error === undefined ? told.response : `The job failed: ${told.error}`
  const text = agent.config.cron.wrap_response ? wrapped(job, content) : content
  try {
    const timeout = AbortSignal.timeout(deliveryTimeoutMs)
    // A stopped run still tells that it was stopped, where that is quick.
    const until = signal.aborted ? timeout : AbortSignal.any([signal, timeout])
    const key = `${job.id}:${scheduledAt}`
    await delivery.deliver({ job, key, target: deliveryTarget(job), text }, until)
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    agent.log.warn({ job: job.id, error: message }, 'the result of a job was not delivered')
    return agent.redactor.redact(message)
  }
}

function wrapped(job: CronJob, content: string): string {
  const note = 'The agent cannot see this message, so it cannot be answered.'
  return `Scheduled job: ${job.name}\n-------------\n\n${content}\n\n${note}`
}
