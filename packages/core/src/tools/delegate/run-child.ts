import type { NumberedEvent } from '../../agent/events.ts'
import type { TurnRequest } from '../../agent/turn.ts'
import type { ResolvedModel } from '../../models/model.ts'
import { isReasoningEffort } from '../../models/reasoning-effort.ts'
import { newSessionId } from '../../sessions/session-id.ts'
import type { ToolContext } from '../tool.ts'
import { childInstructions } from './child-instructions.ts'

/** Calls of a child that its report lists. */
const maxTrace = 200

export interface ChildTask {
  /** From 0. */
  readonly index: number
  readonly goal: string
  readonly context: string | undefined
  readonly onlyTools: readonly string[]
  readonly maxIterations: number
}

/** What a sub-agent came to, in upstream's words. */
export interface ChildResult {
  readonly task_index: number
  readonly status: 'completed' | 'failed' | 'interrupted' | 'error'
  readonly summary: string
  readonly api_calls: number
  readonly duration_seconds: number
  readonly model: string
  readonly exit_reason: 'completed' | 'interrupted' | 'max_iterations' | 'failed'
  readonly tokens: { readonly input: number; readonly output: number }
  /** USD; absent where no price is known. */
  readonly cost_usd?: number
  readonly tool_trace: readonly ToolTrace[]
  readonly session_id: string
  readonly error?: string
}

interface ToolTrace {
  readonly tool: string
  readonly args_bytes: number
  readonly result_bytes: number
  readonly status: 'ok' | 'error'
}

/**
 * Runs a sub-agent to its end: a session of its own below the parent's, with a fresh history. It ends when the parent's
 * turn is cancelled. Never throws but for that: what went wrong is in the result.
 */
export async function runChild(task: ChildTask, context: ToolContext): Promise<ChildResult> {
  const { agent, session: parent, signal } = context
  const sessionId = newSessionId(agent.clock)
  const startedAt = performance.now()
  let model: ResolvedModel
  try {
    model = await agent.models.delegate(undefined, context.turn.model, signal)
  } catch (error) {
    signal.throwIfAborted()
    return broken(task, sessionId, `Its model cannot be used: ${textOf(error)}`, startedAt)
  }
  agent.scopes.child(sessionId, parent)
  const { runTurn } = await import('../../agent/run-turn.ts')
  const report = createReport(task, sessionId)
  try {
    for await (const event of runTurn(requestOf(task, sessionId, model, context), agent, signal)) {
      report.add(event)
      if (event.type === 'tool-start') context.progress(`${event.name}: ${event.preview}`)
      if (event.type === 'notice' && event.level === 'warning') context.progress(event.message)
    }
  } finally {
    await agent.scopes.close(report.sessionId)
  }
  return report.result(model, (performance.now() - startedAt) / 1000)
}

function requestOf(task: ChildTask, id: string, model: ResolvedModel, context: ToolContext): TurnRequest {
  const { agent, session, turn, decide } = context
  const { face, session: own, reasoningEffort: parentEffort } = turn.request
  const effort = agent.config.delegation.reasoning_effort
  const reasoningEffort = isReasoningEffort(effort) ? effort : parentEffort
  return {
    session: { id, source: own.source, parentId: session.sessionId, ...(own.userId && { userId: own.userId }) },
    message: { text: task.goal },
    face: { name: face.name, decide, contextFiles: false, passSessionId: false },
    resolvedModel: model,
    ...(turn.request.toolsets && { toolsets: turn.request.toolsets }),
    onlyTools: task.onlyTools,
    ...(reasoningEffort && { reasoningEffort }),
    instructions: childInstructions(task.context, session.cwd()),
    minimalPrompt: true,
    maxIterations: task.maxIterations,
  }
}

/** Gathers what a child's events tell. */
function createReport(task: ChildTask, sessionId: string) {
  const trace: ToolTrace[] = []
  const argBytes = new Map<string, number>()
  let current = sessionId
  let cost: number | undefined
  let end: Extract<NumberedEvent, { type: 'turn-end' }> | undefined
  return {
    /** Another one after a compaction. */
    get sessionId() {
      return current
    },
    add(event: NumberedEvent) {
      if (event.type === 'tool-start') argBytes.set(event.callId, byteLength(JSON.stringify(event.args ?? {})))
      if (event.type === 'tool-end' && trace.length < maxTrace) {
        const { name: tool, callId, content, status } = event
        const bytes = { args_bytes: argBytes.get(callId) ?? 0, result_bytes: byteLength(content) }
        trace.push({ tool, ...bytes, status: status === 'ok' ? 'ok' : 'error' })
      }
      if (event.type === 'usage' && event.cost?.usd !== undefined) cost = (cost ?? 0) + event.cost.usd
      if (event.type === 'compaction') current = event.sessionId
      if (event.type === 'turn-end') end = event
    },
    result(model: ResolvedModel, seconds: number): ChildResult {
      const { usage } = end ?? {}
      const input = (usage?.inputTokens ?? 0) + (usage?.cacheReadTokens ?? 0) + (usage?.cacheWriteTokens ?? 0)
      return {
        task_index: task.index,
        ...outcomeOf(end),
        api_calls: end?.modelCalls ?? 0,
        duration_seconds: Math.round(seconds * 100) / 100,
        model: model.model,
        tokens: { input, output: usage?.outputTokens ?? 0 },
        ...(cost !== undefined && { cost_usd: cost }),
        tool_trace: trace,
        session_id: current,
      }
    },
  }
}

function outcomeOf(
  end: Extract<NumberedEvent, { type: 'turn-end' }> | undefined,
): Pick<ChildResult, 'status' | 'summary' | 'exit_reason' | 'error'> {
  const summary = end?.text.trim() ?? ''
  if (end?.status === 'completed') return { status: 'completed', summary, exit_reason: 'completed' }
  if (end?.status === 'cancelled') return { status: 'interrupted', summary, exit_reason: 'interrupted' }
  const error = end?.failure?.message ?? 'It ended without an answer.'
  if (end?.failure?.code === 'budget' && summary !== '') {
    return { status: 'completed', summary, exit_reason: 'max_iterations' }
  }
  return { status: 'failed', summary, exit_reason: 'failed', error }
}

function broken(task: ChildTask, sessionId: string, error: string, startedAt: number): ChildResult {
  return {
    task_index: task.index,
    status: 'error',
    summary: '',
    api_calls: 0,
    duration_seconds: Math.round((performance.now() - startedAt) / 10) / 100,
    model: '',
    exit_reason: 'failed',
    tokens: { input: 0, output: 0 },
    tool_trace: [],
    session_id: sessionId,
    error,
  }
}

function byteLength(text: string): number {
  return Buffer.byteLength(text)
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
