import { tools } from './registry.ts'
import type { Tool } from './tool.ts'
import { toolSchema } from './tool-schema.ts'

/** What a turn must know of a tool before anybody calls it. Plain data: it survives JSON. */
export interface ToolFacts extends Pick<
  Tool,
  'name' | 'toolset' | 'description' | 'concurrency' | 'enabledBy' | 'isRare'
> {
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
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
      const { toolset, concurrency, enabledBy, isRare } = tool
      const facts = { name, toolset, description, concurrency, parameters }
      return { ...facts, ...(enabledBy && { enabledBy }), ...(isRare && { isRare }) }
    }),
  )
}
