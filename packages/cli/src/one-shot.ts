import type { AgentContext } from '@hermes/core/agent/context.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import type { TurnEvent } from '@hermes/core/agent/events.ts'
import { runTurn } from '@hermes/core/agent/run-turn.ts'
import type { TurnRequest } from '@hermes/core/agent/turn.ts'
import type { ChatOptions } from './chat-options.ts'
import type { Cli } from './command.ts'
import { readImages } from './read-images.ts'
import { faceNotes } from './face-notes.ts'
import { openAgent } from './open-agent.ts'
import { sessionFor } from './session-for.ts'
import { wantedModel } from './wanted-model.ts'

/** What is to be done, and how much of its beginning a person wrote. */
export type Task = Pick<TurnRequest['message'], 'text' | 'typedLength'>

type TurnEnd = Extract<TurnEvent, { type: 'turn-end' }>
type CallUsage = Extract<TurnEvent, { type: 'usage' }>

/**
 * Runs one task to its end: the answer goes to stdout, everything else to stderr. Resolves to the exit code: 0 done,
 * 1 failed, 3 stopped at a limit, 130 interrupted.
 */
export async function runTask(task: Task, options: ChatOptions, cli: Cli): Promise<number> {
  await using context = await openAgent(options, cli)
  const session = await sessionFor(options, context)
  if (options.yolo) context.scopes.get(session.id).yolo = true
  const turn: TurnRequest = {
    session,
    message: { ...task, images: await readImages(options.images) },
    face: {
      name: 'cli',
      promptHint: await notes(options, context),
      decide: await decideOn(cli),
      passSessionId: options.passSessionId,
    },
    minimalPrompt: options.minimal,
    model: wantedModel(options),
    toolsets: options.toolsets,
    maxIterations: options.maxTurns,
  }
  const [{ progressWriter }, { cleanText }] = await Promise.all([
    import('./progress-lines.ts'),
    import('./repl/clean-text.ts'),
  ])
  const progress = progressWriter(options, cli)
  let end: TurnEnd | undefined
  let sessionId = session.id
  let answeredBy: AnsweredBy | undefined
  const calls: CallUsage[] = []
  for await (const event of runTurn(turn, context, cli.signal)) {
    progress(event)
    if (event.type === 'compaction') ({ sessionId } = event)
    if (event.type === 'turn-start' && event.model !== '') answeredBy = event
    if (event.type === 'usage') {
      calls.push(event)
      answeredBy = event.answeredBy ?? answeredBy
    }
    if (event.type === 'turn-end') end = event
  }
  // runTurn ends every turn with a turn-end.
  if (!end) throw new Error('the turn ended without a turn-end event')
  const shown = await shownResult({ end, calls, sessionId, answeredBy }, options)
  // A file or program gets the answer as it is; a terminal would obey what is hidden in it.
  await write(cli, cli.stdout.isTTY ? cleanText(shown) : shown)
  if (end.failure && options.output !== 'json') cli.stderr.write(`hermes: ${cleanText(end.failure.message)}\n`)
  return exitCodes[end.status]
}

async function notes(options: ChatOptions, agent: AgentContext): Promise<string> {
  const own = faceNotes(options)
  if (!options.skills) return own
  const { skillsText } = await import('./prepare-skills.ts')
  return `${own}\n\n${await skillsText(agent, 'cli', options.skills)}`
}

const exitCodes = { completed: 0, failed: 1, incomplete: 3, cancelled: 130 } as const

/** What a task came to. */
export interface TaskResult {
  readonly end: TurnEnd
  /** What each call of a model took. */
  readonly calls: readonly CallUsage[]
  readonly sessionId: string
  /** Undefined where no model was found. */
  readonly answeredBy: AnsweredBy | undefined
}

type AnsweredBy = NonNullable<CallUsage['answeredBy']>

async function shownResult(result: TaskResult, { output }: ChatOptions): Promise<string> {
  const { end, sessionId } = result
  const text = end.text.trimEnd()
  if (output === 'answer-and-session') return `${text}\n\nsession_id: ${sessionId}\n`
  if (output === 'answer') return text === '' ? '' : `${text}\n`
  const { resultJson } = await import('./result-json.ts')
  return `${JSON.stringify(resultJson(result))}\n`
}

/** Asks on the terminal when a person sits at it, even where the output goes to a file; otherwise nobody answers. */
async function decideOn(cli: Cli) {
  if (!cli.stdin.isTTY || !cli.stderr.isTTY) return nobody
  const { askOnTerminal } = await import('./ask-on-terminal.ts')
  return askOnTerminal(cli)
}

/** Writes and waits until it is written, so that the process can end right after. */
function write(cli: Cli, text: string): Promise<void> {
  return new Promise((resolve, reject) => cli.stdout.write(text, (error) => (error ? reject(error) : resolve())))
}
