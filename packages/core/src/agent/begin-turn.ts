import { callTime } from '../context/call-time.ts'
import { systemPromptFor } from '../context/system-prompt.ts'
import { unknownContextLength } from '../models/model-limits.ts'
import { noUsage } from '../models/model.ts'
import type { ResolvedModel } from '../models/model.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import { todosOf } from '../tools/todo-restore.ts'
import type { ToolHandle } from '../tools/tool-source.ts'
import { callIdsOf } from './call-ids.ts'
import type { AgentContext } from './context.ts'
import { noteTurn, takeKept } from './learning.ts'
import type { Emit, Turn } from './turn-state.ts'
import type { SessionScope } from './session-scope.ts'
import type { TurnRequest } from './turn.ts'
import { failureOf } from './turn-failure.ts'
import { openTurnMemory } from './turn-memory.ts'
import { turnEnd } from './turn-outcome.ts'
import { userMessage } from './user-message.ts'
import { missingResults } from './well-formed.ts'

/** Loads the session, stores the user's message and finds the model. Undefined when the turn has ended already. */
export async function beginTurn(
  request: TurnRequest,
  context: AgentContext,
  scope: SessionScope,
  emit: Emit,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  const startedAt = performance.now()
  const { sessions } = context
  const { id, source, parentId, userId } = request.session
  const session = (await sessions.get(id)) ?? (await sessions.create({ id, source, parentId, userId }))
  const history: TranscriptMessage[] = (await sessions.messages(id)).map((stored) => stored.message)
  for (const missing of missingResults(history)) {
    await sessions.append(id, missing)
    history.push(missing)
  }
  if (scope.todos.length === 0) scope.todos = todosOf(history)
  const resolving = resolveModel(request, context, history, signal)
  const contextLength = async () => (await resolving).model?.contextLength ?? unknownContextLength
  const { message, notices } = await userMessage(request, { context, scope, contextLength, signal })
  await sessions.append(id, message)
  history.push(message)
  noteTurn(scope.learning)
  const remembering = openTurnMemory({ request, context, scope, history }, signal)

  const { model, error } = await resolving
  await emit({
    type: 'turn-start',
    sessionId: id,
    model: model?.model ?? request.model ?? '',
    provider: model?.provider.name ?? '',
  })
  const { memory, notices: ofMemory } = await remembering
  for (const notice of [...notices, ...ofMemory, ...takeKept(scope.learning)]) await emit({ type: 'notice', ...notice })
  if (!model) {
    const failure = signal.aborted ? undefined : failureOf(error, context.redactor)
    await emit(turnEnd({ status: failure ? 'failed' : 'cancelled', failure, startedAt }))
    return undefined
  }
  if (model.notice) await emit({ type: 'notice', level: 'info', code: 'model', message: model.notice })
  const platform = request.face.name
  const toolsets = request.toolsets ?? context.config.platform_toolsets?.[platform]
  const tools = chosenTools(await context.tools.load(toolsets, { id, platform }), request.onlyTools)
  const frozen = await systemPromptFor(session, { context, request, tools, model, scope })
  const { systemPrompt, prefill, notices: others } = await callTime(frozen.text, context, request)
  const ofTools = (context.toolContributors ?? []).flatMap((one) => one.takeNotices?.() ?? [])
  for (const notice of [...ofTools, ...frozen.notices, ...others]) await emit({ type: 'notice', ...notice })
  return {
    request,
    context,
    scope,
    model,
    tools,
    memory,
    sessionId: id,
    systemPrompt,
    prefill,
    emit,
    signal,
    startedAt,
    maxIterations: request.maxIterations ?? context.config.agent.max_turns,
    history,
    callIds: callIdsOf(history),
    usage: noUsage,
    modelCalls: 0,
    refunded: 0,
    broken: 0,
    continuations: 0,
    text: '',
  }
}

function chosenTools(all: ReadonlyMap<string, ToolHandle>, only: readonly string[] | undefined) {
  return only ? new Map([...all].filter(([name]) => only.includes(name))) : all
}

/** Finds the model while other things are done: a failure is told when it is asked for. */
async function resolveModel(
  request: TurnRequest,
  context: AgentContext,
  history: readonly TranscriptMessage[],
  signal: AbortSignal,
): Promise<{ readonly model?: ResolvedModel; readonly error?: unknown }> {
  if (request.resolvedModel) return { model: request.resolvedModel }
  const { text, images = [] } = request.message
  const last = history.slice(history.findLastIndex(({ role }) => role === 'user'))
  const followsTools = last.some(({ role }) => role === 'tool')
  try {
    const message = { text, hasAttachments: images.length > 0, followsTools }
    return { model: await context.models.resolve(request.model, signal, message) }
  } catch (error) {
    return { error }
  }
}
