import type { CompactionReason } from '../../agent/events.ts'
import type { CompactedHistory, ContextFacts, Summariser } from '../context-engine.ts'
import { openContextEngine } from '../context-engines.ts'
import type { Conversation } from './conversation.ts'

/** What is left of the old history must leave so much free that compaction is worth it. */
const leastGain = { threshold: 0.3, overflow: 0.3, manual: 0.1 } as const satisfies Record<CompactionReason, number>

/** A compaction aims at this part of what there was, and at this part of the threshold, whichever is less. */
const [targetOfBefore, targetOfThreshold] = [0.62, 0.8]

/** How long no model is asked for a summary after one took too long, ms. */
const summaryPauseMs = 600_000

export interface CompactionOptions {
  readonly reason: CompactionReason
  readonly facts: ContextFacts
  readonly focus?: string
}

export interface CompactionOutcome {
  /** False: too little would have been gained, so everything is as it was. */
  readonly isCompacted: boolean
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly messagesBefore: number
  readonly messagesAfter: number
}

/**
 * Makes a conversation's history shorter and goes on with it in a new session; the old one stays whole. Where that would
 * gain too little, nothing is changed. When the signal aborts before the new session is made, throws its reason.
 */
export async function compactConversation(
  conversation: Conversation,
  { reason, facts, focus }: CompactionOptions,
): Promise<CompactionOutcome> {
  const { context, scope, sessionId, history, signal } = conversation
  const { meter } = scope.contextState
  await conversation.emit({ type: 'compaction-start', reason, tokens: facts.tokens })
  const engine = await engineOf(conversation)
  const keep = await conversation.beforeSummary()
  const compacted = await engine.compact(
    {
      ...facts,
      sessionId,
      history,
      targetTokens: Math.floor(Math.min(facts.tokens * targetOfBefore, facts.thresholdTokens * targetOfThreshold)),
      meter,
      settings: context.config.compression,
      focus,
      keep,
      todos: scope.todos,
      summariser: summariserOf(conversation),
      log: context.log,
    },
    signal,
  )
  signal.throwIfAborted()
  const messages = compacted?.messages ?? history
  const outcome = {
    tokensBefore: facts.tokens,
    tokensAfter: facts.fixedTokens + meter.messages(messages),
    messagesBefore: history.length,
    messagesAfter: messages.length,
  }
  const isWorthIt = outcome.tokensAfter <= facts.tokens * (1 - leastGain[reason])
  if (compacted && isWorthIt) await goOnWith(compacted, conversation, reason, outcome)
  for (const spending of compacted?.spent ?? []) await conversation.spend(spending)
  if (compacted?.problem) await tellProblem(compacted.problem, conversation)
  return { ...outcome, isCompacted: compacted !== undefined && isWorthIt }
}

async function goOnWith(
  compacted: CompactedHistory,
  conversation: Conversation,
  reason: CompactionReason,
  counts: Omit<CompactionOutcome, 'isCompacted'>,
): Promise<void> {
  const { context, scope, sessionId } = conversation
  const session = await context.sessions.compact(sessionId, compacted.messages)
  await context.scopes.move(sessionId, session.id)
  scope.fileReads.forgetParts()
  // Their notes went with the results that they followed.
  scope.knownFolders.clear()
  scope.contextState.isDisabled = false
  const { method } = compacted
  context.log.info({ session: session.id, from: sessionId, reason, method, ...counts }, 'conversation compacted')
  await conversation.emit({
    type: 'compaction',
    reason,
    fromSessionId: sessionId,
    sessionId: session.id,
    ...(session.title !== undefined && { title: session.title }),
    method,
    ...counts,
  })
  await conversation.moveTo(session, compacted.messages)
}

async function engineOf({ context, scope, emit }: Conversation) {
  const { engine, notice } = await openContextEngine(context.config.context.engine, context.contextEngines)
  if (notice !== undefined && !scope.contextState.toldEngine) {
    scope.contextState.toldEngine = true
    await emit({ type: 'notice', level: 'warning', code: 'context-engine', message: notice })
  }
  return engine
}

function summariserOf({ context, scope, model }: Conversation): Summariser {
  const { noSummaryBefore } = scope.contextState
  return {
    models: async (signal) =>
      context.clock.now() < noSummaryBefore ? [] : context.models.auxiliary('compression', model, signal),
    timeoutMs: context.config.auxiliary.compression.timeout * 1000,
  }
}

async function tellProblem(
  problem: NonNullable<CompactedHistory['problem']>,
  { context, scope, emit }: Conversation,
): Promise<void> {
  if (problem.code === 'timeout') scope.contextState.noSummaryBefore = context.clock.now() + summaryPauseMs
  const why = context.redactor.redact(problem.message)
  const message = `No model could summarise the conversation, so the lines that say most were picked out of it. ${why}`
  await emit({ type: 'notice', level: 'warning', code: 'compaction-extract', message })
}
