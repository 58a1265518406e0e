import type { PromptNotice } from '../context/blocks/block.ts'
import type { SessionMemory } from '../memory/session-memory.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { AgentContext } from './context.ts'
import type { SessionScope } from './session-scope.ts'
import type { TurnRequest } from './turn.ts'

export interface TurnMemory {
  /** Undefined where the profile has no long-term memory, or this turn does without. */
  readonly memory: SessionMemory | undefined
  readonly notices: readonly PromptNotice[]
}

export interface TurnMemoryOptions {
  readonly request: Pick<TurnRequest, 'session' | 'face' | 'message' | 'minimalPrompt'>
  readonly context: Pick<AgentContext, 'longTermMemory'>
  readonly scope: SessionScope
  /** As it is stored, the person's message last. */
  readonly history: readonly TranscriptMessage[]
}

/**
 * Opens the session's long-term memory and recalls for the message. Bounded in time; what fails becomes a notice. When
 * `signal` aborts, nothing is recalled.
 */
export async function openTurnMemory(
  { request, context, scope, history }: TurnMemoryOptions,
  signal: AbortSignal,
): Promise<TurnMemory> {
  const { longTermMemory } = context
  if (!longTermMemory) return { memory: undefined, notices: [] }
  if (request.minimalPrompt || scope.depth > 0) {
    longTermMemory.leaveOut(scope)
    return { memory: undefined, notices: [] }
  }
  const { source, userId, parentId } = request.session
  const memory = await longTermMemory.session(scope, {
    platform: request.face.name,
    role: source === 'cron' ? 'cron' : 'primary',
    userId,
    parentSessionId: parentId,
  })
  if (memory) await recall(memory, saidBy(request), history, signal)
  const problem = longTermMemory.takeProblem(scope) ?? memory?.takeProblem()
  if (problem === undefined) return { memory, notices: [] }
  return { memory, notices: [{ level: 'warning', code: 'long-term-memory', message: problem }] }
}

/** What of a message its person wrote, where that is known. */
export function saidBy({ message: { text, typedLength = 0 } }: Pick<TurnRequest, 'message'>): string {
  return typedLength > 0 ? text.slice(0, typedLength) : text
}

async function recall(
  memory: SessionMemory,
  query: string,
  history: readonly TranscriptMessage[],
  signal: AbortSignal,
): Promise<void> {
  try {
    const text = await memory.recall(query, signal)
    const at = history.length - 1
    const message = history[at]
    if (text === '' || !message) return
    const { recalledBlock } = await import('../memory/recalled-text.ts')
    memory.recalled.add(at, message, recalledBlock(text))
  } catch (error) {
    // The turn ends as cancelled where it comes to its first call.
    if (!signal.aborted) throw error
  }
}
