import type { AgentContext } from '../agent/context.ts'
import { getAt } from '../config/tree.ts'
import type { ToolSchema } from '../models/model.ts'
import { tools } from './registry.ts'
import type { Tool } from './tool.ts'
import { toolFacts } from './tool-facts.ts'
import type { ToolFacts } from './tool-facts.ts'
import { defaultToolsets, toolsOf } from './toolsets.ts'

/** A tool that a turn may use, before it is loaded. */
export interface ToolHandle extends Pick<ToolFacts, 'name' | 'toolset' | 'concurrency'> {
  /** As the model sees it. */
  readonly schema: ToolSchema
  /** Loads the tool itself. */
  open(): Promise<Tool>
}

/** The tools of a profile. */
export interface ToolSource {
  /** The usable tools of some toolsets (default: all), sorted by name; unknown toolset names are left out. */
  load(toolsets: readonly string[] | undefined): Promise<ReadonlyMap<string, ToolHandle>>
}

/** `agent` is asked when tools are loaded, so that the source can be part of it. */
export function createToolSource(agent: () => AgentContext): ToolSource {
  let known: Promise<ReadonlyMap<string, ToolFacts>> | undefined
  return {
    async load(toolsets = defaultToolsets) {
      known ??= toolFacts().then((all) => new Map(all.map((facts) => [facts.name, facts])))
      const facts = await known
      const context = agent()
      const { tools: names, unknown } = toolsOf(toolsets)
      if (unknown.length > 0) context.log.warn({ toolsets: unknown }, 'unknown toolsets are ignored')
      const usable = await Promise.all(names.map(async (name) => usableHandle(facts.get(name), context)))
      return new Map(usable.flatMap((handle) => (handle ? [[handle.name, handle] as const] : [])))
    },
  }
}

/** A handle on a tool, unless this profile cannot use it: the log says why. */
async function usableHandle(facts: ToolFacts | undefined, context: AgentContext): Promise<ToolHandle | undefined> {
  const open = facts && tools[facts.name]
  if (!open) return undefined
  const { name, toolset, concurrency, description, parameters } = facts
  const reason = isSwitchedOn(facts, context)
    ? facts.isConditional
      ? ((await open()).available?.(context) ?? true)
      : true
    : `switched off: ${facts.enabledBy?.join(', ')}`
  if (reason === true) return { name, toolset, concurrency, schema: { name, description, parameters }, open }
  context.log.debug({ tool: name, reason }, 'tool is not available')
  return undefined
}

function isSwitchedOn({ enabledBy }: ToolFacts, { config }: AgentContext): boolean {
  return !enabledBy || enabledBy.some((key) => getAt(config, key.split('.')) === true)
}
