import type { TurnEvent } from '../agent/events.ts'
import type { Tool, ToolContext } from '../tools/tool.ts'
import { CheckpointError } from './checkpoint-store.ts'
import { changedPlaces } from './changed-places.ts'
import type { ChangedPlace } from './changed-places.ts'
import { openGitStore } from './git-store.ts'

/** A call whose arguments have been checked. */
export interface ComingCall {
  readonly tool: Tool
  readonly args: unknown
}

export type CallContext = Pick<ToolContext, 'agent' | 'session' | 'signal'> & {
  readonly emit: (event: TurnEvent) => Promise<void> | undefined
}

/**
 * Takes a checkpoint of each folder that a call is about to change, once a turn. What goes wrong is told by a notice,
 * each thing once a session, and never stops the call.
 */
export async function checkpointBefore(call: ComingCall, context: CallContext): Promise<void> {
  const { agent, session, signal } = context
  const { taken } = session.checkpoints
  // Elsewhere the files are not on this machine.
  if (agent.config.terminal.backend !== 'local') return
  const places = await attempt(() => changedPlaces(call.tool.name, call.args, context), context)
  for (const place of places ?? []) {
    if (signal.aborted) return
    // Tried once a turn, whatever comes of it; a call beside this one waits for it, too.
    const taking = taken.get(place.folder) ?? attempt(() => take(place, call, context), context)
    taken.set(place.folder, taking)
    await taking
  }
}

async function take(place: ChangedPlace, { tool, args }: ComingCall, context: CallContext): Promise<void> {
  const { agent, session, signal } = context
  const store = await openGitStore({ folder: place.folder }, agent)
  const { leftOut, needsTidying } = await store.take(
    reasonOf(agent.redactor.redact(tool.preview(args)), tool),
    place.files,
    signal,
  )
  if (leftOut.length > 0) {
    const names = leftOut.slice(0, 3).map((name) => JSON.stringify(name))
    const more = leftOut.length > 3 ? ` and ${leftOut.length - 3} more` : ''
    await tell(
      `Checkpoints leave out what is too large or cannot be read: ${names.join(', ')}${more}.`,
      'info',
      context,
    )
  }
  if (needsTidying) session.background(`checkpoints ${place.folder}`, (ending) => store.tidy(ending))
}

/** What a list of checkpoints shows: one line. */
function reasonOf(preview: string, { name }: Tool): string {
  const line = preview.replace(/\s+/g, ' ').trim()
  const short = line.length > 80 ? `${line.slice(0, 79)}…`.toWellFormed() : line
  return `before ${name}: ${short}`
}

async function attempt<T>(work: () => Promise<T>, context: CallContext): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (context.signal.aborted) return undefined
    const { log } = context.agent
    if (error instanceof CheckpointError) {
      log.warn({ code: error.code, error: error.message }, 'no checkpoint')
      await tell(`No checkpoint was taken: ${error.message}.`, 'warning', context)
    } else {
      // The call has the same trouble with its paths, and says it better.
      log.debug({ error: String(error) }, 'no checkpoint')
    }
    return undefined
  }
}

async function tell(message: string, level: 'info' | 'warning', { agent, session, emit }: CallContext): Promise<void> {
  const clean = agent.redactor.redact(message)
  if (session.checkpoints.told.has(clean)) return
  session.checkpoints.told.add(clean)
  await emit({ type: 'notice', level, code: 'checkpoint', message: clean })
}
