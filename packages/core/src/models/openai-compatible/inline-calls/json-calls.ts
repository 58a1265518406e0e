import type { InlineCall } from './format.ts'

/** Calls written as JSON objects with a name and arguments, one after the other, in a list or not. */
export function jsonCalls(text: string): readonly InlineCall[] {
  return jsonObjects(text).flatMap((object) => asCall(object) ?? [])
}

/** The objects at the top level of a text, in order. One that is cut off at the end is included as it is. */
export function jsonObjects(text: string): readonly string[] {
  const objects: string[] = []
  let depth = 0
  let start = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at++
      else if (character === '"') inString = false
    } else if (character === '"') inString = depth > 0
    else if (character === '{') {
      if (depth++ === 0) start = at
    } else if (character === '}' && depth > 0 && --depth === 0) objects.push(text.slice(start, at + 1))
  }
  return depth > 0 ? [...objects, text.slice(start)] : objects
}

function asCall(object: string): InlineCall | undefined {
  const value = parsed(object)
  if (value === undefined) return brokenCall(object)
  const { function: inner, name = inner } = value
  // Some models nest the call as the API would: {"function": {"name": …}}.
  if (isRecord(inner)) return asCall(JSON.stringify(inner))
  if (typeof name !== 'string') return undefined
  const given = value['arguments'] ?? value['parameters'] ?? {}
  return { name, arguments: typeof given === 'string' ? given : JSON.stringify(given) }
}

/** The name, and as much of the arguments as there is, so that the model can be told what is wrong with its call. */
function brokenCall(object: string): InlineCall | undefined {
  const name = /"name"\s*:\s*"([^"\\]+)"/.exec(object)?.[1]
  if (name === undefined) return undefined
  const begin = /"(?:arguments|parameters)"\s*:\s*/.exec(object)
  return { name, arguments: begin ? object.slice(begin.index + begin[0].length) : '' }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
