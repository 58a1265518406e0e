/** Largest schema of a tool's arguments that is given to models, characters. */
const maxSchemaChars = 40_000
const maxDescriptionChars = 4_000

/** A server's schema of arguments as models take it: of an object, with properties, not endless. */
export function toolParameters(schema: unknown): Readonly<Record<string, unknown>> {
  const empty = { type: 'object', properties: {} }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return empty
  const { $schema: _dialect, ...rest } = schema as Record<string, unknown>
  if (JSON.stringify(rest).length > maxSchemaChars) return empty
  return { ...empty, ...rest, type: 'object' }
}

/** What a tool says of itself, with the server that it is of. */
export function toolDescription(server: string, description: string | undefined): string {
  const text = (description ?? '').trim()
  const bounded = text.length > maxDescriptionChars ? `${text.slice(0, maxDescriptionChars)} …`.toWellFormed() : text
  return bounded === '' ? `A tool of the MCP server ${server}.` : bounded
}
