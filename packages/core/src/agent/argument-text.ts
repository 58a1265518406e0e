/** What a call's argument text came to. */
export type ParsedArguments =
  | { readonly ok: true; readonly value: unknown }
  /** `cut`: the text ends in the middle, as when the output limit was hit; never executed. */
  | { readonly ok: false; readonly cut: boolean; readonly reason: string }

/**
 * Parses the argument text of a tool call. Blank means no arguments. Slips that models make (comments, trailing commas,
 * single quotes, raw line breaks in strings) are repaired; text that ends in the middle is not, since half an argument
 * is a wrong one.
 */
export async function parseArguments(text: string): Promise<ParsedArguments> {
  const trimmed = text.trim()
  if (trimmed === '') return { ok: true, value: {} }
  try {
    return asObject(JSON.parse(trimmed))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (!trimmed.endsWith('}')) return { ok: false, cut: true, reason }
    return repaired(trimmed, reason)
  }
}

async function repaired(text: string, reason: string): Promise<ParsedArguments> {
  const { jsonrepair } = await import('jsonrepair')
  try {
    const parsed = asObject(JSON.parse(jsonrepair(text)))
    // Repair closes what is open; a brace more than the model wrote means that it was cut inside a nested value.
    if (parsed.ok && balance(text) > 0) return { ok: false, cut: true, reason }
    return parsed
  } catch {
    return { ok: false, cut: false, reason }
  }
}

/** Models sometimes encode the object twice; a string that holds an object is that object. */
function asObject(value: unknown): ParsedArguments {
  if (typeof value === 'string') {
    try {
      const inner: unknown = JSON.parse(value)
      if (isObject(inner)) return { ok: true, value: inner }
    } catch {
      return { ok: false, cut: false, reason: 'the arguments are a string; an object is wanted' }
    }
  }
  if (isObject(value)) return { ok: true, value }
  return { ok: false, cut: false, reason: 'the arguments must be one JSON object' }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Opened minus closed braces outside double-quoted strings. */
function balance(text: string): number {
  let open = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const character = text[i]
    if (character === '\\') i++
    else if (character === '"') inString = !inString
    else if (!inString && character === '{') open++
    else if (!inString && character === '}') open--
  }
  return open
}
