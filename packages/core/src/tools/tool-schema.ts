import type { ToolSchema } from '../models/model.ts'
import { inputSchema } from './input-schema.ts'
import type { Tool } from './tool.ts'

const schemas = new WeakMap<object, ToolSchema>()

/** A tool as the model sees it; made once a tool. */
export function toolSchema(tool: Tool): ToolSchema {
  const known = schemas.get(tool)
  if (known) return known
  const schema = { name: tool.name, description: tool.description, parameters: inputSchema(tool.input) }
  schemas.set(tool, schema)
  return schema
}
