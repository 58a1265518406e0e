import type { ToolCall, ToolMessage } from '../models/transcript.ts'
import type { ToolContext, ToolResult } from '../tools/tool.ts'
import type { ToolHandle } from '../tools/tool-source.ts'
import type { AgentContext } from './context.ts'
import type { Decide } from './decision.ts'
import { unanswered } from './decision.ts'
import { subdirectoryHints } from '../context/subdirectory-hints.ts'
import type { TurnEvent } from './events.ts'
import { inLanes } from './in-lanes.ts'
import type { SessionScope } from './session-scope.ts'
import type { RunningTurn } from './turn.ts'
import { isThroughUseTool, prepareCall, resultMessage, runCall, skippedResult } from './tool-call.ts'
import type { CallProblem, PreparedCall } from './tool-call.ts'

/** Most calls that run side by side. */
const maxParallel = 8

export interface BatchContext {
  readonly agent: AgentContext
  readonly scope: SessionScope
  readonly turn: RunningTurn
  readonly tools: ReadonlyMap<string, ToolHandle>
  readonly decide: Decide
  /** Whether notes of projects in folders that a call comes upon are given to the model. */
  readonly contextFiles: boolean
  readonly emit: (event: TurnEvent) => Promise<void> | undefined
  /** Stores a result the moment it is there. */
  readonly persist: (message: ToolMessage) => Promise<void>
  readonly signal: AbortSignal
}

/** What was wrong with the calls that could not be run; empty when all ran. */
export type BatchProblems = readonly CallProblem[]

/**
 * Runs the calls of one answer: side by side when all of them only read, else one after the other in their order. Every
 * call gets its one result, stored as it ends, also when the turn is cancelled meanwhile.
 */
export async function runBatch(calls: readonly ToolCall[], batch: BatchContext): Promise<BatchProblems> {
  const prepared = await Promise.all(calls.map((call) => prepareCall(call, batch.tools)))
  const parallel = prepared.length > 1 && prepared.every((one) => one.ok && one.tool.concurrency === 'parallel')
  await inLanes(prepared, parallel ? maxParallel : 1, (one) => perform(one, batch))
  return prepared.flatMap((one) => (one.ok ? [] : [one.problem]))
}

async function perform(prepared: PreparedCall, batch: BatchContext): Promise<void> {
  const { agent, emit, signal } = batch
  const { call } = prepared
  const name = prepared.ok ? prepared.tool.name : call.name
  const startedAt = performance.now()
  if (!signal.aborted) {
    await emit({
      type: 'tool-start',
      callId: call.id,
      name,
      args: prepared.ok ? redactedArgs(prepared.args, agent) : undefined,
      preview: prepared.ok ? agent.redactor.redact(prepared.tool.preview(prepared.args)) : call.name,
    })
  }
  if (prepared.ok && !signal.aborted) await keepState(prepared, batch)
  const result = signal.aborted ? skippedResult : await runCall(prepared, toolContext(call, batch))
  const hints = await hintsFor(prepared, batch)
  await batch.persist(
    resultMessage(call, isThroughUseTool(call, batch.tools) ? call.name : name, {
      ...result,
      content: result.content + hints,
    }),
  )
  await emit({
    type: 'tool-end',
    callId: call.id,
    name,
    status: result.status ?? 'ok',
    durationMs: performance.now() - startedAt,
    content: shown(result, agent),
  })
}

/** A checkpoint of what the call may change, where they are asked for. */
async function keepState(call: Extract<PreparedCall, { ok: true }>, batch: BatchContext): Promise<void> {
  const { agent, scope, emit, signal } = batch
  if (!agent.config.checkpoints.enabled || call.tool.concurrency === 'parallel') return
  const { checkpointBefore } = await import('../checkpoints/before-call.ts')
  await checkpointBefore(call, { agent, session: scope, emit, signal })
}

/** The notes of projects that a call came upon, to follow its result. */
async function hintsFor(prepared: PreparedCall, { agent, scope, contextFiles, emit, signal }: BatchContext) {
  if (!prepared.ok || !contextFiles || signal.aborted) return ''
  const { text, problems } = await subdirectoryHints(prepared.args, scope, agent)
  for (const problem of problems) {
    await emit({
      type: 'notice',
      level: 'warning',
      code: 'context-file',
      message: `A context file is left out: ${problem}.`,
    })
  }
  return text
}

function toolContext(call: ToolCall, batch: BatchContext): ToolContext {
  const { agent, scope, emit, signal } = batch
  let nested = 0
  const context: ToolContext = {
    agent,
    session: scope,
    callId: call.id,
    turn: batch.turn,
    tools: batch.tools,
    call: async (name, args, within) => {
      const inner = { id: `${call.id}_${++nested}`, name, arguments: JSON.stringify(args ?? {}) }
      const prepared = await prepareCall(inner, batch.tools)
      if (prepared.ok) {
        context.progress(`${prepared.tool.name}: ${prepared.tool.preview(prepared.args)}`)
        await keepState(prepared, batch)
      }
      return runCall(prepared, { ...context, callId: inner.id, ...(within && { signal: within }) })
    },
    decide: askWithEvents(batch),
    progress: (text) => void emit({ type: 'tool-progress', callId: call.id, text: agent.redactor.redact(text) }),
    signal,
  }
  return context
}

/** Wraps the face's `decide`, so that everyone who watches sees the question and its answer. */
function askWithEvents({ decide, emit }: BatchContext): Decide {
  return async (request, signal) => {
    await emit({ type: 'decision-request', request })
    const answer = await decide(request, signal).catch((error: unknown) => {
      if (signal.aborted) throw signal.reason
      return Promise.reject(error)
    })
    const fits = answer.kind === request.kind ? answer : unanswered(request, 'unavailable')
    await emit({ type: 'decision-result', id: request.id, answer: withoutSecret(fits) })
    return fits
  }
}

function withoutSecret<T extends { kind: string }>(answer: T): T {
  return answer.kind === 'secret' ? { ...answer, value: undefined } : answer
}

function redactedArgs(args: unknown, { redactor }: AgentContext): unknown {
  const text = JSON.stringify(args)
  const clean = redactor.redact(text)
  if (clean === text) return args
  try {
    return JSON.parse(clean)
  } catch {
    return clean
  }
}

function shown(result: ToolResult, { redactor }: AgentContext): string {
  return redactor.redact(result.content)
}
