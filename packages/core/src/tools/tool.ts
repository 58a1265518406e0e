import type { z } from 'zod'
import type { Decide } from '../agent/decision.ts'
import type { AgentContext } from '../agent/context.ts'
import type { SessionScope } from '../agent/session-scope.ts'
import type { RunningTurn } from '../agent/turn.ts'
import type { ToolHandle } from './tool-source.ts'

/** What a call came to. `content` is what the model reads: upstream's tools answer with one JSON object as text. */
export interface ToolResult {
  readonly content: string
  /** How the call ended, for people; the model reads it in `content`. `ok` when absent. */
  readonly status?: ToolStatus
}

export type ToolStatus = 'ok' | 'error' | 'denied' | 'cancelled'

/** What a running tool may use. */
export interface ToolContext {
  /** The profile's services: config, sessions, clock, log … */
  readonly agent: AgentContext
  /** What this session keeps between calls: terminal, background processes, todo list, files read. */
  readonly session: SessionScope
  readonly callId: string
  readonly turn: RunningTurn
  /** Every tool that this turn may call, by name. */
  readonly tools: ReadonlyMap<string, ToolHandle>
  /**
   * Calls another tool of this turn as the model would: its arguments are checked, consent is asked for, its result is
   * bounded. Nothing is stored. Never throws: what went wrong is in the result. `signal`: in place of the turn's.
   */
  readonly call: (name: string, args: unknown, signal?: AbortSignal) => Promise<ToolResult>
  /** Asks the person, or the policy that stands in for one. Silence is a denial. */
  readonly decide: Decide
  /** Shows people what happens while the tool runs. */
  readonly progress: (text: string) => void
  readonly signal: AbortSignal
}

/** Something a model can do. Everything Hermes knows of it is in this object. */
export interface Tool<Args = unknown> {
  readonly name: string
  /** The toolset that it belongs to, e.g. `file`. */
  readonly toolset: string
  /** For the model: short, since every request carries it. */
  readonly description: string
  readonly input: z.ZodType<Args>
  /** `parallel`: reads only, so calls may run side by side. `exclusive`: everything else. */
  readonly concurrency: 'parallel' | 'exclusive'
  /** Seldom needed: where a session has many tools it is found by `tool_search` rather than shown in every request. */
  readonly isRare?: boolean
  /** Longest result given to the model whole, characters; the rest is kept in a file. Default 100,000. */
  readonly maxResultChars?: number
  /** Settings (dotted keys) of which one must be on. Usable whatever they say when absent. */
  readonly enabledBy?: readonly string[]
  /** One line for people, e.g. the command or the path. */
  preview(args: Args): string
  /**
   * Does it. A throw becomes an error result whose text the model reads, so it says how to correct the call; when
   * `context.signal` aborts, the reason passes untouched.
   */
  run(args: Args, context: ToolContext): Promise<ToolResult>
}

/** Types a tool's `run` by its schema. */
export function defineTool<Schema extends z.ZodType>(
  tool: Omit<Tool<z.infer<Schema>>, 'input'> & { readonly input: Schema },
): Tool<z.infer<Schema>> {
  // Schema is a ZodType of its own inferred output, which the generic alone does not show.
  return tool as unknown as Tool<z.infer<Schema>>
}

/** A result in upstream's form: one JSON object as text, non-ASCII kept. */
export function jsonResult(value: Readonly<Record<string, unknown>>, status: ToolStatus = 'ok'): ToolResult {
  return { content: JSON.stringify(value), status }
}
