import { tools } from './registry.ts'
import type { Tool } from './tool.ts'
import { toolSchema } from './tool-schema.ts'

/** What a turn must know of a tool before anybody calls it. Plain data: it survives JSON. */
export interface ToolFacts extends Pick<Tool, 'name' | 'toolset' | 'description' | 'concurrency' | 'enabledBy'> {
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** Whether the tool has to be asked if a profile can use it. */
  readonly isConditional: boolean
}

/**
 * The facts of all tools, by loading every one of them. A bundle has the answer written in, so that a turn loads the
 * tools that are called and no others.
 */
export async function toolFacts(): Promise<readonly ToolFacts[]> {
  return Promise.all(
    Object.values(tools).map(async (load) => {
      const tool = await load()
      const { name, description, parameters } = toolSchema(tool)
      const { toolset, concurrency, enabledBy } = tool
      const isConditional = tool.available !== undefined
      return { name, toolset, description, concurrency, parameters, isConditional, ...(enabledBy && { enabledBy }) }
    }),
  )
}
