/** Most lines of a result that verbose mode shows. */
const maxLines = 40
/** Longest line shown, characters. */
const maxLineLength = 500

/** Why a call failed, from what the model is told: the `error` of a JSON object, or the text itself. */
export function problemOf(content: string): string {
  const error = fieldsOf(content)?.['error']
  return typeof error === 'string' ? error : content.slice(0, maxLineLength)
}

/** What a call changed in files, as a unified diff; undefined where it changed none, or does not say. */
export function diffOf(content: string): string | undefined {
  const diff = fieldsOf(content)?.['diff']
  return typeof diff === 'string' && diff.trim() !== '' ? diff : undefined
}

/** A result as people read it: a command's output, or the text itself; the end left out where it is long. */
export function shownOutput(content: string): string {
  const fields = fieldsOf(content)
  const output = fields?.['output'] ?? fields?.['content']
  const lines = (typeof output === 'string' ? output : content).trimEnd().split('\n')
  const shown = lines.slice(0, maxLines).map((line) => line.slice(0, maxLineLength).toWellFormed())
  const left = lines.length - shown.length
  return left > 0 ? `${shown.join('\n')}\n… ${left} more lines` : shown.join('\n')
}

function fieldsOf(content: string): Readonly<Record<string, unknown>> | undefined {
  if (!content.startsWith('{')) return undefined
  try {
    const parsed: unknown = JSON.parse(content)
    // An object literal is what the text begins with.
    return parsed as Readonly<Record<string, unknown>>
  } catch {
    // Not every result is JSON, and a shortened one is no longer.
    return undefined
  }
}
