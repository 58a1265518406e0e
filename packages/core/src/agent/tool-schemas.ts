import type { ToolSchema } from '../models/model.ts'
import type { Tool } from '../tools/tool.ts'

/** The tools as a model sees them, sorted by name so that a session's requests begin with the same bytes. */
export async function toolSchemas(tools: ReadonlyMap<string, Tool>): Promise<ToolSchema[]> {
  if (tools.size === 0) return []
  const { toolSchema } = await import('../tools/tool-schema.ts')
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(toolSchema)
}
