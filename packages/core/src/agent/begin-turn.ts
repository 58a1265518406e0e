import { callTime } from '../context/call-time.ts'
import { systemPromptFor } from '../context/system-prompt.ts'
import type { PromptNotice } from '../context/blocks/block.ts'
import { unknownContextLength } from '../models/model-limits.ts'
import { noUsage } from '../models/model.ts'
import type { ResolvedModel } from '../models/model.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { Session } from '../sessions/store.ts'
import { todosOf } from '../tools/todo-restore.ts'
import type { ToolHandle } from '../tools/tool-source.ts'
import { afterOpening } from './after-opening.ts'
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

/** What is asked for, in the session as it is; without one a new one begins. */
export interface AskedTurn {
  readonly request: TurnRequest
  readonly found: Session | undefined
}

/**
 * Loads the session, has the user's message stored and finds the model. The message is still on its way to the store when
 * this resolves: `Turn.opening` tells when it is there. Undefined when the turn has ended already.
 */
export async function beginTurn(
  { request, found }: AskedTurn,
  context: AgentContext,
  scope: SessionScope,
  emit: Emit,
  signal: AbortSignal,
): Promise<Turn | undefined> {
  const startedAt = performance.now()
  const { sessions } = context
  const { id, source, parentId, userId } = request.session
  // A new session and its first message are one write where nothing between them takes time.
  const creating = found ? undefined : handled(sessions.create({ id, source, parentId, userId }))
  const history: TranscriptMessage[] = found ? (await sessions.messages(id)).map((stored) => stored.message) : []
  for (const missing of missingResults(history)) {
    await sessions.append(id, missing)
    history.push(missing)
  }
  if (scope.todos.length === 0) scope.todos = todosOf(history)
  const resolving = resolveModel(request, context, history, signal)
  const contextLength = async () => (await resolving).model?.contextLength ?? unknownContextLength
  const { message, notices } = await userMessage(request, { context, scope, contextLength, signal })
  const storing = handled(sessions.append(id, message))
  history.push(message)
  noteTurn(scope.learning)
  const remembering = handled(openTurnMemory({ request, context, scope, history }, signal))
  const session = { id, systemPrompt: found?.systemPrompt }
  const preparing = handled(prepare({ request, context, scope, session }, resolving, remembering))

  const announcing = async () => {
    await creating
    await storing
    const { model } = await resolving
    await emit({
      type: 'turn-start',
      sessionId: id,
      model: model?.model ?? request.model ?? '',
      provider: model?.provider.name ?? '',
    })
    // Of a process with one turn, the line of its end says it all.
    if (request.face.isLasting) context.log.info({ face: request.face.name, model: model?.model }, 'turn begins')
    const { notices: ofMemory } = await remembering
    for (const notice of [...notices, ...ofMemory, ...takeKept(scope.learning)])
      await emit({ type: 'notice', ...notice })
    const prepared = await preparing
    if (!model || !prepared) return
    if (model.notice) await emit({ type: 'notice', level: 'info', code: 'model', message: model.notice })
    const ofTools = (context.toolContributors ?? []).flatMap((one) => one.takeNotices?.() ?? [])
    for (const notice of [...ofTools, ...prepared.notices]) await emit({ type: 'notice', ...notice })
  }
  const opening = handled(announcing())
  const { model, error } = await resolving
  // What fails here is told after the beginning, which waits for it.
  const prepared = await preparing.catch(() => opening.then(() => undefined))
  if (!model || !prepared) {
    await opening
    const failure = signal.aborted ? undefined : failureOf(error, context.redactor)
    await emit(turnEnd({ status: failure ? 'failed' : 'cancelled', failure, startedAt }))
    return undefined
  }
  const { memory } = await remembering
  const { tools, systemPrompt, prefill, notes } = prepared
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
    opening,
    emit: afterOpening(emit, opening),
    signal,
    startedAt,
    maxIterations: request.maxIterations ?? context.config.agent.max_turns,
    history,
    callIds: callIdsOf(history),
    usage: noUsage,
    notes,
    modelCalls: 0,
    refunded: 0,
    broken: 0,
    continuations: 0,
    text: '',
  }
}

interface Preparation extends Pick<Turn, 'request' | 'context' | 'scope'> {
  readonly session: Pick<Session, 'id' | 'systemPrompt'>
}

interface Prepared extends Pick<Turn, 'tools' | 'systemPrompt' | 'prefill' | 'notes'> {
  readonly notices: readonly PromptNotice[]
}

/** What the turn's requests carry; undefined where there is no model to send them to. */
async function prepare(
  { request, context, scope, session }: Preparation,
  resolving: Promise<Resolved>,
  remembering: Promise<unknown>,
): Promise<Prepared | undefined> {
  const { model } = await resolving
  // The memory provider is opened for the turn before the prompt asks it for its part.
  await remembering
  if (!model) return undefined
  const platform = request.face.name
  const toolsets = request.toolsets ?? context.config.platform_toolsets?.[platform]
  const tools = chosenTools(await context.tools.load(toolsets, { id: session.id, platform }), request.onlyTools)
  const frozen = await systemPromptFor(session, { context, request, tools, model, scope })
  const { systemPrompt, prefill, notices } = await callTime(frozen.text, context, request)
  const notes = frozen.isNew ? { systemPrompt: frozen.text } : undefined
  return { tools, systemPrompt, prefill, notes, notices: [...frozen.notices, ...notices] }
}

/** What is waited for later must not count as unhandled when it fails before. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

function chosenTools(all: ReadonlyMap<string, ToolHandle>, only: readonly string[] | undefined) {
  return only ? new Map([...all].filter(([name]) => only.includes(name))) : all
}

interface Resolved {
  readonly model?: ResolvedModel
  readonly error?: unknown
}

/** Finds the model while other things are done: a failure is told when it is asked for. */
async function resolveModel(
  request: TurnRequest,
  context: AgentContext,
  history: readonly TranscriptMessage[],
  signal: AbortSignal,
): Promise<Resolved> {
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
