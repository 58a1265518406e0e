import type { AgentContext } from './context.ts'
import type { NumberedEvent, TurnEvent } from './events.ts'
import { EventQueue } from './event-queue.ts'
import { redactingEvents } from './redact-events.ts'
import { driveTurn } from './turn-loop.ts'
import type { SessionScope } from './session-scope.ts'
import type { TurnRequest } from './turn.ts'
import type { Work, WorkEnd } from './work-observer.ts'
import { noUsage } from '../models/model.ts'
import { SessionError } from '../sessions/store.ts'
import type { Session } from '../sessions/store.ts'

/**
 * Runs one turn of a session and yields what happens, from `turn-start` to exactly one `turn-end`. The only way a turn
 * is run. Failures of models and tools are events, never throws. When `signal` aborts, the model stream and the running
 * command end at once and the turn ends as `cancelled`; a consumer that stops reading cancels it too.
 */
export async function* runTurn(
  asked: TurnRequest,
  profile: AgentContext,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  const { turn, found } = await inCurrentSession(asked, profile)
  const context = { ...profile, log: profile.log.child({ name: 'agent', session: turn.session.id }) }
  const scope = context.scopes.get(turn.session.id)
  const queue = new EventQueue<NumberedEvent>()
  const stop = new AbortController()
  const cancel = () => stop.abort(signal.reason)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  const watched = context.observer?.begin(workOf(turn, scope))
  const number = (event: TurnEvent) => {
    if (watched && event.type === 'turn-end') watched.end(workEndOf(event))
    return queue.push({ ...event, seq: ++scope.eventSeq })
  }
  const emit = redactingEvents(number, context.redactor)
  let hasEnded = false
  const drive = () => driveTurn({ request: turn, found }, context, emit, stop.signal)
  const done = (watched ? watched.run(drive) : drive())
    .catch(async (error: unknown) => {
      // A model may still be asked.
      stop.abort(error)
      context.log.error({ error: String(error) }, 'turn broke')
      const message = error instanceof Error ? error.message : String(error)
      await emit({
        type: 'turn-end',
        status: 'failed',
        text: '',
        failure: { code: codeOf(error), message: context.redactor.redact(message) },
        usage: noUsage,
        modelCalls: 0,
        durationMs: 0,
      })
    })
    .finally(() => {
      hasEnded = true
      signal.removeEventListener('abort', cancel)
      queue.close()
    })
  try {
    yield* queue
  } finally {
    if (!hasEnded) stop.abort(new DOMException('Nobody listens to this turn any more.', 'AbortError'))
    await done
  }
}

/** A session that was compacted is carried on by another one: whoever still names the old one means that. */
async function inCurrentSession(
  turn: TurnRequest,
  { sessions }: AgentContext,
): Promise<{ readonly turn: TurnRequest; readonly found: Session | undefined }> {
  if (turn.session.isNew) return { turn, found: undefined }
  try {
    const found = await sessions.carriedOnBy(turn.session.id)
    return { found, turn: found ? { ...turn, session: { ...turn.session, id: found.id } } : turn }
  } catch (error) {
    // The turn meets the same failure, and tells it.
    if (error instanceof SessionError) return { turn, found: undefined }
    throw error
  }
}

function workOf({ session, face, message }: TurnRequest, { depth }: SessionScope): Work {
  return { kind: 'turn', sessionId: session.id, face: face.name, isSubAgent: depth > 0, text: () => message.text }
}

function workEndOf({ status, failure, usage, modelCalls, text }: Extract<TurnEvent, { type: 'turn-end' }>): WorkEnd {
  const code = failure && { code: failure.code }
  return { status, isFailure: status === 'failed', usage, modelCalls, text: () => text, ...code }
}

/** What programs branch on: the error's own code where it has one. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'internal'
}
