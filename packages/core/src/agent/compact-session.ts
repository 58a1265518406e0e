import { contextFacts } from '../context/context-facts.ts'
import type { ModelSpending } from '../context/context-engine.ts'
import { compactConversation } from '../context/compaction/compact-conversation.ts'
import type { CompactionOutcome } from '../context/compaction/compact-conversation.ts'
import type { ModelRequest } from '../models/model.ts'
import type { Session } from '../sessions/store.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import { chargeCall } from './charge-call.ts'
import type { AgentContext } from './context.ts'
import type { TurnEvent } from './events.ts'
import { saveBeforeSummary } from './save-memories.ts'
import type { TurnRequest } from './turn.ts'
import { requestSchemas } from '../tools/tool-source.ts'
import { wellFormed } from './well-formed.ts'

/** With fewer messages there is nothing between the first and the last ones. */
const leastMessages = 4

export interface CompactSessionOptions {
  /** How the session's turns are asked for. */
  readonly turn: Pick<TurnRequest, 'session' | 'face' | 'model' | 'toolsets'>
  /** What is to be kept above all. */
  readonly focus?: string
  readonly emit: (event: TurnEvent) => void
}

/** What became of a compaction that a person asked for. */
export type ManualCompaction =
  /** The conversation goes on in `session`. */
  | { readonly status: 'compacted'; readonly session: Session; readonly outcome: CompactionOutcome }
  /** Too little would be gained. */
  | { readonly status: 'unchanged'; readonly outcome: CompactionOutcome }
  | { readonly status: 'refused'; readonly reason: 'disabled' | 'too-short' | 'busy' }

/** Compacts a session between two turns. Throws `ModelError`; when `signal` aborts, its reason. */
export async function compactSession(
  options: CompactSessionOptions,
  context: AgentContext,
  signal: AbortSignal,
): Promise<ManualCompaction> {
  if (!context.config.compression.enabled) return { status: 'refused', reason: 'disabled' }
  const scope = context.scopes.get(options.turn.session.id)
  if (scope.turnRunning) return { status: 'refused', reason: 'busy' }
  scope.turnRunning = true
  try {
    return await compact(options, context, signal)
  } finally {
    scope.turnRunning = false
  }
}

async function compact(
  { turn, focus, emit }: CompactSessionOptions,
  context: AgentContext,
  signal: AbortSignal,
): Promise<ManualCompaction> {
  const { sessions, scopes, config } = context
  const stored = await sessions.get(turn.session.id)
  const history = stored ? (await sessions.messages(stored.id)).map(({ message }) => message) : []
  if (!stored || history.length < leastMessages) return { status: 'refused', reason: 'too-short' }
  const scope = scopes.get(stored.id)
  const model = await context.models.resolve(turn.model, signal)
  const platform = turn.face.name
  const memory = await context.longTermMemory?.session(scope, { platform, userId: stored.userId })
  const toolsets = turn.toolsets ?? config.platform_toolsets?.[platform]
  const tools = await context.tools.load(toolsets, { id: stored.id, platform })
  const sent = memory?.recalled.over(history) ?? history
  const request: ModelRequest = {
    model: model.model,
    messages: [{ role: 'system', content: stored.systemPrompt ?? '' }, ...wellFormed(sent)],
    tools: requestSchemas(tools),
    maxOutputTokens: config.model.max_tokens ?? model.maxOutputTokens,
  }
  const { threshold } = config.compression
  const facts = contextFacts({ state: scope.contextState, model, request, history: sent, threshold })
  let session = stored
  const conversation = {
    context,
    scope,
    model,
    sessionId: stored.id,
    history,
    sent,
    forgetRecalled: () => false,
    emit: async (event: TurnEvent) => emit(event),
    beforeSummary: () =>
      saveBeforeSummary(
        { context, scope, sessionId: stored.id, request: turn, main: model, tools, history, memory },
        signal,
      ),
    async moveTo(next: Session, messages: readonly TranscriptMessage[]) {
      session = next
      memory?.moveTo(messages)
    },
    async spend({ model: side, usage }: ModelSpending) {
      await chargeCall(context, session.id, side, usage)
    },
    signal,
  }
  const outcome = await compactConversation(conversation, { reason: 'manual', facts, focus })
  return outcome.isCompacted ? { status: 'compacted', session, outcome } : { status: 'unchanged', outcome }
}
