import { callTime } from '../context/call-time.ts'
import type { Conversation } from '../context/compaction/conversation.ts'
import { withinWindow } from '../context/compaction/within-window.ts'
import type { ModelSpending } from '../context/context-engine.ts'
import { systemPromptFor } from '../context/system-prompt.ts'
import { addUsage } from '../models/model.ts'
import type { ModelRequest, ResolvedModel, Usage } from '../models/model.ts'
import type { CallCost } from '../models/pricing.ts'
import type { AssistantMessage, TranscriptMessage } from '../models/transcript.ts'
import type { Session } from '../sessions/store.ts'
import { requestSchemas } from '../tools/tool-source.ts'
import { beginTurn } from './begin-turn.ts'
import type { AskedTurn } from './begin-turn.ts'
import { withUniqueIds } from './call-ids.ts'
import { chargeCall, priceCall } from './charge-call.ts'
import type { AgentContext } from './context.ts'
import { noteCalls } from './learning.ts'
import { AnswerError, getAnswer } from './model-answer.ts'
import type { ModelAnswer, SpentCall } from './model-answer.ts'
import { reviewIfDue } from './nudge.ts'
import type { SessionScope } from './session-scope.ts'
import type { Emit, Turn } from './turn-state.ts'
import { findTitle } from './title.ts'
import { runBatch } from './tool-batch.ts'
import { failureOf } from './turn-failure.ts'
import { saidBy } from './turn-memory.ts'
import { finalOutcome, turnEnd } from './turn-outcome.ts'
import type { Outcome } from './turn-outcome.ts'
import { wellFormed } from './well-formed.ts'

/** Times an answer that hit the output limit is continued. */
const maxContinuations = 3

/** Answers in a row whose calls could none of them be run (unknown tool, broken arguments), before the turn stops. */
const maxBrokenAnswers = 3

const continuePrompt = 'Your answer was cut off at the output limit. Go on exactly where it stopped; repeat nothing.'
const lastWordPrompt =
  'The limit of steps for this request is reached, so no more tools can be used. Say what was done, what was found and what is left to do.'

/** Runs the whole turn; throws only what is no failure of a model or a tool (the store broke, say). */
export async function driveTurn(
  asked: AskedTurn,
  context: AgentContext,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const { request } = asked
  const scope = context.scopes.get(request.session.id)
  if (scope.turnRunning) {
    await refuse(request.session.id, 'session-busy', 'Another turn of this session is still running.', emit)
    return
  }
  scope.turnRunning = true
  scope.checkpoints.taken.clear()
  try {
    const turn = await beginTurn(asked, context, scope, emit, signal)
    // A message that cannot be stored ends the turn, whatever the model is doing.
    if (turn) await Promise.all([turn.opening, runSteps(turn)])
  } finally {
    scope.turnRunning = false
  }
}

/** Model, tools, model, tools … until an answer, a limit, a failure or a cancellation. */
async function runSteps(turn: Turn): Promise<void> {
  try {
    while (turn.modelCalls - turn.refunded < turn.maxIterations) {
      const outcome = await step(turn)
      if (!outcome) continue
      await end(turn, outcome)
      return
    }
    await end(turn, await lastWord(turn))
  } catch (error) {
    if (!(error instanceof AnswerError)) throw error
    await turn.opening
    await keepPartial(turn, error.partial)
    const cancelled = turn.signal.aborted
    const failure = cancelled ? undefined : failureOf(error.cause, turn.context.redactor)
    await end(turn, { status: cancelled ? 'cancelled' : 'failed', text: turn.text + error.partial.content, failure })
  }
}

/** One model call and the tools it asks for. Undefined when the turn goes on. */
async function step(turn: Turn): Promise<Outcome | undefined> {
  // A message in the middle of an answer that is being continued would end it.
  if (turn.continuations === 0) await steer(turn)
  const answer = await ask(turn, turn.continuations > 0 ? continuePrompt : undefined)
  await store(turn, answer.message)
  turn.text += answer.message.content
  if (answer.message.toolCalls.length > 0) return useTools(turn, answer)
  if (answer.finish === 'length' && turn.continuations < maxContinuations) {
    turn.continuations++
    return undefined
  }
  return finalOutcome(turn, answer)
}

/** What the person has said meanwhile becomes part of the conversation. */
async function steer(turn: Turn): Promise<void> {
  for (const text of turn.request.takeSteering?.() ?? [])
    await store(turn, { role: 'user', content: text.toWellFormed() })
}

async function useTools(turn: Turn, answer: ModelAnswer): Promise<Outcome | undefined> {
  const { context, scope, tools, emit, signal } = turn
  const problems = await runBatch(answer.message.toolCalls, {
    agent: context,
    scope,
    turn: { request: turn.request, model: turn.model },
    tools,
    decide: turn.request.face.decide,
    contextFiles: turn.request.face.contextFiles !== false && !turn.request.minimalPrompt,
    emit,
    persist: (message) => store(turn, message),
    signal,
  })
  noteCalls(
    scope.learning,
    answer.message.toolCalls.map(({ name }) => name),
  )
  turn.text = ''
  turn.continuations = 0
  const isScript = answer.message.toolCalls.every(({ name }) => name === 'execute_code')
  if (isScript && turn.refunded < turn.maxIterations) turn.refunded++
  if (signal.aborted) return { status: 'cancelled', text: answer.message.content }
  turn.broken = problems.length === answer.message.toolCalls.length ? turn.broken + 1 : 0
  if (turn.broken < maxBrokenAnswers) return undefined
  const message = `The model keeps asking for tools in a way that cannot be run (${problems.at(-1)}). Try again, or use another model (/model).`
  return { status: 'incomplete', text: answer.message.content, failure: { code: 'broken-tool-calls', message } }
}

/** At the limit of steps: one call without tools, so that the person hears where things stand. */
async function lastWord(turn: Turn): Promise<Outcome> {
  const answer = await ask(turn, lastWordPrompt, 'none')
  await store(turn, { ...answer.message, toolCalls: [] })
  const message = `The limit of ${turn.maxIterations} ${turn.maxIterations === 1 ? 'step' : 'steps'} is reached. Say "go on" to continue, or raise agent.max_turns.`
  return { status: 'incomplete', text: answer.message.content, failure: { code: 'budget', message } }
}

/** Calls the model with the whole history, and a closing instruction that is not stored. */
async function ask(turn: Turn, instruction: string | undefined, toolChoice?: 'none'): Promise<ModelAnswer> {
  const { emit, signal } = turn
  const spend = (call: SpentCall): Promise<void> => countUsage(turn, call)
  turn.modelCalls++
  const answer = await withinWindow(new TurnConversation(turn), {
    build: () => requestOf(turn, instruction, toolChoice),
    send: async (request) => {
      const got = await getAnswer(turn.model, request, { emit, spend }, signal)
      turn.model = got.model
      return got
    },
  })
  const { content } = answer.message
  const toolCalls = withUniqueIds(answer.message.toolCalls, turn.callIds)
  await emit({ type: 'answer-end', text: content, toolCalls: toolCalls.length })
  return { ...answer, message: { ...answer.message, toolCalls } }
}

function requestOf(turn: Turn, instruction: string | undefined, toolChoice: 'none' | undefined): ModelRequest {
  const { context, model, tools, systemPrompt, prefill } = turn
  const history = sentHistory(turn)
  const closing: readonly TranscriptMessage[] = instruction ? [{ role: 'user', content: instruction }] : []
  const messages = wellFormed([...prefill, ...history, ...closing])
  return {
    model: model.model,
    messages: [{ role: 'system', content: systemPrompt }, ...messages],
    tools: requestSchemas(tools),
    toolChoice,
    maxOutputTokens: context.config.model.max_tokens ?? model.maxOutputTokens,
    reasoningEffort: turn.request.reasoningEffort ?? (context.config.agent.reasoning_effort || undefined),
    priority: ['fast', 'priority'].includes(context.config.agent.service_tier),
    sessionId: turn.sessionId,
  }
}

/** The stored messages, with what was recalled for them. */
function sentHistory({ memory, history }: Turn): readonly TranscriptMessage[] {
  return memory?.recalled.over(history) ?? history
}

/** The turn as a compaction sees it. */
class TurnConversation implements Conversation {
  readonly #turn: Turn
  readonly context: AgentContext
  readonly scope: SessionScope
  readonly model: ResolvedModel
  readonly emit: Emit
  readonly signal: AbortSignal

  constructor(turn: Turn) {
    this.#turn = turn
    const { context, scope, model, emit, signal } = turn
    this.context = context
    this.scope = scope
    this.model = model
    this.emit = emit
    this.signal = signal
  }

  get sessionId(): string {
    return this.#turn.sessionId
  }

  get history(): readonly TranscriptMessage[] {
    return this.#turn.history
  }

  get sent(): readonly TranscriptMessage[] {
    return sentHistory(this.#turn)
  }

  forgetRecalled(): boolean {
    const { memory, history } = this.#turn
    return memory?.forgetRecalled(history) ?? false
  }

  beforeSummary(): Promise<string> {
    return beforeSummary(this.#turn)
  }

  async moveTo(session: Session, messages: readonly TranscriptMessage[]): Promise<void> {
    const turn = this.#turn
    const { context, scope, model } = this
    const { request, tools, memory } = turn
    await storeNotes(turn)
    turn.sessionId = session.id
    turn.history = [...messages]
    memory?.moveTo(messages)
    const { text, isNew } = await systemPromptFor(session, { context, request, tools, model, scope })
    if (isNew) turn.notes = { systemPrompt: text }
    const { systemPrompt, prefill } = await callTime(text, context, request)
    turn.systemPrompt = systemPrompt
    turn.prefill = prefill
  }

  async spend({ model, usage }: ModelSpending): Promise<void> {
    await chargeUsage(this.#turn, model, usage)
  }
}

/** What should stay of a history that is about to be summarised; resolves to what the summary should not lose. */
async function beforeSummary(turn: Turn): Promise<string> {
  const { saveBeforeSummary } = await import('./save-memories.ts')
  return saveBeforeSummary({ ...turn, main: turn.model }, turn.signal)
}

async function countUsage(turn: Turn, { model, usage, rateLimits }: SpentCall): Promise<void> {
  turn.usage = addUsage(turn.usage, usage)
  const { cost, delta } = await priceCall(turn.context, model, usage)
  // Of a call before it that answered nothing.
  if (turn.notes?.usage) await storeNotes(turn)
  turn.notes = { ...turn.notes, usage: delta }
  const contextTokens = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens
  const { contextLength } = model
  const answeredBy = { model: model.model, provider: model.provider.name }
  const limits = rateLimits && { rateLimits }
  await turn.emit({ type: 'usage', usage, answeredBy, cost, contextTokens, contextLength, ...limits })
}

/** Adds what a call on its side took to the turn and its session. */
function chargeUsage(turn: Turn, model: ResolvedModel, usage: Usage): Promise<CallCost> {
  turn.usage = addUsage(turn.usage, usage)
  return chargeCall(turn.context, turn.sessionId, model, usage)
}

async function store(turn: Turn, message: TranscriptMessage): Promise<void> {
  if (message.role === 'assistant' && message.content === '' && message.toolCalls.length === 0) return
  await turn.opening
  const { notes } = turn
  turn.notes = undefined
  await turn.context.sessions.append(turn.sessionId, message, notes)
  turn.history.push(message)
}

/** Stores what no message came of. */
async function storeNotes(turn: Turn): Promise<void> {
  const { notes, sessionId } = turn
  const { sessions } = turn.context
  turn.notes = undefined
  const { systemPrompt, usage } = notes ?? {}
  await Promise.all([
    systemPrompt === undefined ? undefined : sessions.setSystemPrompt(sessionId, systemPrompt),
    usage && sessions.addUsage(sessionId, usage),
  ])
}

/** What was said before the stream broke stays in the session; calls that had not been run do not. */
async function keepPartial(turn: Turn, partial: AssistantMessage): Promise<void> {
  if (partial.content.trim() === '') return
  await store(turn, { role: 'assistant', content: partial.content, toolCalls: [], finishReason: 'interrupted' })
}

async function end(turn: Turn, outcome: Outcome): Promise<void> {
  await storeNotes(turn)
  const { context, startedAt, usage, modelCalls } = turn
  const event = turnEnd({ ...outcome, startedAt, usage, modelCalls })
  const fields = { session: turn.sessionId, status: outcome.status, modelCalls, code: outcome.failure?.code }
  const tokens = {
    input: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    output: usage.outputTokens,
  }
  context.log.info({ ...fields, tokens, durationMs: Math.round(event.durationMs) }, 'turn finished')
  await turn.emit(event)
  if (outcome.status !== 'completed') return
  findTitle(turn, outcome.text)
  reviewIfDue(turn)
  const { sessionId, memory, request } = turn
  memory?.keepTurn({ sessionId, user: saidBy(request), assistant: outcome.text })
}

async function refuse(sessionId: string, code: string, message: string, emit: Emit): Promise<void> {
  await emit({ type: 'turn-start', sessionId, model: '', provider: '' })
  await emit(turnEnd({ status: 'failed', failure: { code, message }, startedAt: performance.now() }))
}
