import { expandReferences } from '../config/expand.ts'
import type { Environment } from '../agent/context.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { readServerSettings } from './settings.ts'
import { isWantedTool } from './wanted-tools.ts'

/** A tool that a server has. */
export interface ProbedTool {
  readonly name: string
  readonly description: string
  /** Whether the settings let the model have it. */
  readonly isOn: boolean
}

/** What a server turned out to have. */
export interface Probe {
  readonly tools: readonly ProbedTool[]
  readonly hasResources: boolean
  readonly hasPrompts: boolean
  readonly durationMs: number
}

export interface ProbeOptions extends Omit<ConnectionOptions, 'settings'> {
  /** As `config.yaml` has it, `${NAME}` and all. */
  readonly value: unknown
  /** What `${NAME}` stands for. */
  readonly variables: Environment
}

/** Connects to a server once, looks what it has, and ends it. Throws `McpError`, or the signal's reason. */
export async function probeServer({ value, variables, ...options }: ProbeOptions, signal: AbortSignal): Promise<Probe> {
  const expanded = expandReferences(value, variables, () => {})
  const settings = readServerSettings(options.server, expanded)
  const startedAt = performance.now()
  await using connection = new Connection({ ...options, settings })
  const { tools, hasResources, hasPrompts } = await connection.facts(signal)
  return {
    tools: tools.map(({ name, description = '' }) => ({ name, description, isOn: isWantedTool(name, settings.tools) })),
    hasResources,
    hasPrompts,
    durationMs: performance.now() - startedAt,
  }
}
