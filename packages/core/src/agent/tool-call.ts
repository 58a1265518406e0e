import type { ZodSafeParseResult, core } from 'zod'
import type { ToolCall, ToolMessage } from '../models/transcript.ts'
import type { Tool, ToolContext, ToolResult } from '../tools/tool.ts'
import type { ToolHandle } from '../tools/tool-source.ts'
import { limitResult } from '../tools/result-limit.ts'
import type { UseToolArgs } from '../tools/tool-search/use-tool.ts'
import { useToolName } from '../tools/toolsets.ts'
import { parseArguments } from './argument-text.ts'
import { meantTool } from './tool-name.ts'
import { observed } from './work-observer.ts'
import type { WorkEnd } from './work-observer.ts'

/** A call that has been matched to its tool and whose arguments passed its schema, or why not. */
export type PreparedCall =
  | { readonly ok: true; readonly call: ToolCall; readonly tool: Tool; readonly args: unknown }
  | { readonly ok: false; readonly call: ToolCall; readonly problem: CallProblem; readonly message: string }

export type CallProblem = 'unknown-tool' | 'invalid-json' | 'cut-off' | 'invalid-arguments'

/** Matches a call to its tool and checks its arguments. Never throws: the model reads what was wrong. */
export async function prepareCall(call: ToolCall, tools: ReadonlyMap<string, ToolHandle>): Promise<PreparedCall> {
  if (!isThroughUseTool(call, tools)) return checkCall(call, call, tools)
  const outer = await checkCall(call, call, tools)
  if (!outer.ok) return outer
  const meant = outer.args as UseToolArgs
  return checkCall(call, { ...call, name: meant.name, arguments: JSON.stringify(meant.arguments) }, tools)
}

/** Whether a call names the tool that it wants in its arguments. */
export function isThroughUseTool(call: ToolCall, tools: ReadonlyMap<string, ToolHandle>): boolean {
  return call.name === useToolName && tools.has(useToolName)
}

/** `meant`: the call itself, or the one that it stands for. */
async function checkCall(
  call: ToolCall,
  meant: ToolCall,
  tools: ReadonlyMap<string, ToolHandle>,
): Promise<PreparedCall> {
  const name = meantTool(meant.name, [...tools.keys()])
  const handle = name === undefined ? undefined : tools.get(name)
  if (!handle) return { ok: false, call, problem: 'unknown-tool', message: unknownTool(meant.name, tools) }
  const tool = await handle.open()
  const parsed = await parseArguments(meant.arguments)
  if (!parsed.ok) {
    const message = parsed.cut
      ? `The arguments of ${tool.name} were cut off before their end, so nothing was done. Call it again with shorter arguments, in several calls if need be.`
      : `The arguments of ${tool.name} are not valid JSON (${parsed.reason}); nothing was done. Call it again with one JSON object.`
    return { ok: false, call, problem: parsed.cut ? 'cut-off' : 'invalid-json', message }
  }
  const checked = check(parsed.value, tool)
  if (checked.success) return { ok: true, call, tool, args: checked.data }
  const { invalidArguments } = await import('../tools/invalid-arguments.ts')
  return { ok: false, call, problem: 'invalid-arguments', message: invalidArguments(tool.name, checked.error) }
}

function unknownTool(name: string, tools: ReadonlyMap<string, ToolHandle>): string {
  const shown = [...tools.values()].filter(({ isDeferred }) => !isDeferred).map((handle) => handle.name)
  const others = tools.has(useToolName) ? ' tool_search finds others.' : ''
  return `Unknown tool: ${name}. Available tools: ${shown.join(', ')}.${others}`
}

/**
 * Runs a prepared call. A throw of the tool becomes a result that the model reads; when the turn is cancelled, a result
 * that says so.
 */
export async function runCall(prepared: PreparedCall, within: ToolContext): Promise<ToolResult> {
  if (!prepared.ok) return errorResult(prepared.message)
  const { tool, args } = prepared
  const { agent, callId } = within
  const context = { ...within, agent: { ...agent, log: agent.log.child({ name: `tools.${tool.name}` }) } }
  const work = () => ({ kind: 'tool-call', tool: tool.name, callId, text: () => JSON.stringify(args) }) as const
  return observed(agent.observer, work, () => carryOut(tool, args, context), workEndOf)
}

async function carryOut(tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> {
  try {
    context.signal.throwIfAborted()
    const result = await tool.run(args, context)
    // Looking at the same thing again is no longer going round in circles once something else was done.
    if (tool.concurrency === 'exclusive') context.session.fileReads.otherToolRan()
    return await limitResult(masked(result, context), tool, context)
  } catch (error) {
    if (context.signal.aborted) return cancelledResult
    context.agent.log.warn({ error: String(error) }, 'tool failed')
    return errorResult(context.agent.redactor.redact(error instanceof Error ? error.message : String(error)))
  }
}

function workEndOf({ status = 'ok', content }: ToolResult): WorkEnd {
  return { status, isFailure: status === 'error', text: () => content }
}

/** What a tool says of a failure names paths and commands, which can hold secrets; what it found it has masked itself. */
function masked(result: ToolResult, { agent }: ToolContext): ToolResult {
  return result.status === 'ok' ? result : { ...result, content: agent.redactor.redact(result.content) }
}

export function errorResult(message: string): ToolResult {
  return { content: JSON.stringify({ error: message }), status: 'error' }
}

/** The person stopped the turn while the call ran. */
export const cancelledResult: ToolResult = {
  content: JSON.stringify({
    error: 'Cancelled by the user while it ran: it may have happened in part. Verify before relying on it.',
    status: 'cancelled',
  }),
  status: 'cancelled',
}

/** The person stopped the turn before the call began. */
export const skippedResult: ToolResult = {
  content: JSON.stringify({ error: 'Skipped: the user stopped the turn before this call began.', status: 'skipped' }),
  status: 'cancelled',
}

/** The stored form of a result. */
export function resultMessage(call: ToolCall, name: string, result: ToolResult): ToolMessage {
  return { role: 'tool', toolCallId: call.id, toolName: name, content: result.content }
}

/**
 * Models write `"5"` for 5 and `"true"` for true. Where the schema wants the other type and the text says it exactly,
 * it is that.
 */
function check(value: unknown, tool: Tool): ZodSafeParseResult<unknown> {
  const checked = tool.input.safeParse(value)
  if (checked.success || typeof value !== 'object' || value === null) return checked
  return tool.input.safeParse(coerced({ ...value }, checked.error.issues))
}

function coerced(value: Record<string, unknown>, issues: readonly core.$ZodIssue[]): Record<string, unknown> {
  for (const issue of issues) {
    const [key] = issue.path
    if (issue.code !== 'invalid_type' || issue.path.length !== 1 || typeof key !== 'string') continue
    const text = value[key]
    if (typeof text !== 'string') continue
    const word = text.trim()
    if (['number', 'int'].includes(issue.expected) && /^-?\d+(\.\d+)?$/.test(word)) value[key] = Number(word)
    if (issue.expected === 'boolean' && /^(true|false)$/i.test(word)) value[key] = word.toLowerCase() === 'true'
    if (['array', 'object', 'record'].includes(issue.expected)) value[key] = fromJson(text)
  }
  return value
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
