import type { ToolSchema } from '../../model.ts'

/** Arguments written as named texts, as JSON: each value gets the type that the tool's schema gives it. */
export function typedArguments(
  tool: string,
  values: Iterable<readonly [string, string]>,
  tools: readonly ToolSchema[],
): string {
  const properties = tools.find(({ name }) => name === tool)?.parameters['properties']
  const typed = [...values].map(([name, text]) => [name, typedValue(text, schemaOf(properties, name))])
  return JSON.stringify(Object.fromEntries(typed))
}

function typedValue(text: string, schema: unknown): unknown {
  if (isRecord(schema) && schema['type'] === 'string') return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function schemaOf(properties: unknown, name: string): unknown {
  return isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
