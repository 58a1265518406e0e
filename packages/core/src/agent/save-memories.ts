import type { SessionMemory } from '../memory/session-memory.ts'
import { isFlushDue } from './learning.ts'
import { isSaid, review } from './review.ts'
import type { Review } from './review.ts'

export interface SaveMemories extends Omit<Review, 'subjects' | 'maxCalls'> {
  readonly memory: SessionMemory | undefined
}

/**
 * Before messages are replaced by a summary: the agent writes down what should stay (one model call), and the long-term
 * memory takes what it wants. Resolves to what the summary should not lose. A failure is logged and changes nothing; when
 * `signal` aborts, throws its reason.
 */
export async function saveBeforeSummary(given: SaveMemories, signal: AbortSignal): Promise<string> {
  await flushMemories(given, signal)
  const { memory, history } = given
  if (!memory) return ''
  await memory.keepSession(history, signal)
  return memory.beforeCompression(history, signal)
}

/** The same before a session ends. */
export async function saveAtEnd(given: SaveMemories, signal: AbortSignal): Promise<void> {
  await Promise.all([flushMemories(given, signal), given.memory?.keepSession(given.history, signal)])
}

/** One model call with the memory tool alone, where the session is long enough. */
async function flushMemories(given: SaveMemories, signal: AbortSignal): Promise<void> {
  const { context, scope, history, main, tools, request, sessionId } = given
  if (main.provider.isInterpreter || request.minimalPrompt || scope.depth > 0) return
  const userTurns = history.filter(isSaid).length
  if (!isFlushDue(scope.learning, userTurns, context.config, (name) => tools.has(name))) return
  try {
    const kept = await review({ ...given, subjects: ['memory'], maxCalls: 1 }, signal)
    context.log.info({ session: sessionId, kept: kept.length }, 'memories saved')
  } catch (error) {
    signal.throwIfAborted()
    context.log.warn({ session: sessionId, error: String(error) }, 'memories not saved')
  }
}
