import { ModelError } from '../models/model-error.ts'
import type { AgentContext } from './context.ts'
import { isFlushDue } from './learning.ts'
import type { TurnRequest } from './turn.ts'

export interface SaveSessionOptions {
  /** How the session's turns are asked for. */
  readonly turn: Omit<TurnRequest, 'message'>
  /** Called where it takes as long as a model call. */
  readonly onWait?: () => void
}

/**
 * A person leaves a session for good or starts another: what should stay of it is written down (one model call, where it
 * is long enough), and the long-term memory takes what it wants. Does nothing where no turn ran since it was last done.
 * Failures are logged; when `signal` aborts, throws its reason.
 */
export async function saveSession(
  { turn, onWait }: SaveSessionOptions,
  context: AgentContext,
  signal: AbortSignal,
): Promise<void> {
  const { sessions, scopes, config, log } = context
  const { id } = turn.session
  const scope = scopes.get(id)
  if (scope.learning.turnsSinceReview === 0 || turn.minimalPrompt) return
  const stored = await sessions.get(id)
  if (!stored || stored.messageCount === 0) return
  const history = (await sessions.messages(id)).map(({ message }) => message)
  const { isSaid } = await import('./review.ts')
  const isLong = isFlushDue(scope.learning, history.filter(isSaid).length, config, () => true)
  if (!isLong && !context.longTermMemory) return
  const platform = turn.face.name
  const memory = await context.longTermMemory?.session(scope, { platform, userId: stored.userId })
  if (!isLong) {
    await memory?.keepSession(history, signal)
    return
  }
  onWait?.()
  try {
    const main = turn.resolvedModel ?? (await context.models.resolve(turn.model, signal))
    const tools = await context.tools.load(turn.toolsets ?? config.platform_toolsets?.[platform], { id, platform })
    const { saveAtEnd } = await import('./save-memories.ts')
    await saveAtEnd({ context, scope, sessionId: id, request: turn, main, tools, history, memory }, signal)
  } catch (error) {
    if (!(error instanceof ModelError)) throw error
    log.warn({ session: id, error: error.message }, 'memories not saved')
  }
}
