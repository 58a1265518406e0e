import { z } from 'zod'
import type { ToolSchema } from '../models/model.ts'
import type { Tool } from './tool.ts'

const schemas = new WeakMap<object, ToolSchema>()

/** A tool as the model sees it; made once a tool. */
export function toolSchema(tool: Tool): ToolSchema {
  const known = schemas.get(tool)
  if (known) return known
  const parameters = plain(z.toJSONSchema(tool.input, { io: 'input' }))
  const schema = { name: tool.name, description: tool.description, parameters }
  schemas.set(tool, schema)
  return schema
}

/** Keys that cost tokens and tell a model nothing. */
const noise: ReadonlySet<string> = new Set(['$schema', 'additionalProperties', '~standard'])

function plain(schema: object): Record<string, unknown> {
  const kept = Object.entries(schema).filter(([key, value]) => !noise.has(key) && !isIntegerLimit(value))
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'properties' ? plainAll(value) : plainValue(value)]),
  )
}

/** The values of `properties` are schemas, but its keys are names, which may be spelled like any keyword. */
function plainAll(properties: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plainValue(schema)]))
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue)
  return typeof value === 'object' && value !== null ? plain(value) : value
}

/** zod states the range of exact integers as minimum and maximum. */
function isIntegerLimit(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER
}
