/** Longest value that is no text, and longest whole payload, UTF-16 units. */
const [maxValue, maxRaw] = [2_000, 4_000]

/**
 * A template with `{a.b.c}` replaced by what the payload has there; what it does not have stays as it is written.
 * `{__raw__}` is the whole payload. What was put in is not looked at again.
 */
export function renderTemplate(template: string, payload: unknown): string {
  return template.replaceAll(/\{([\w-]+(?:\.[\w-]+)*)\}/g, (written, path: string) => {
    if (path === '__raw__') return shortened(JSON.stringify(payload, null, 2), maxRaw)
    const value = valueAt(payload, path)
    if (value === undefined) return written
    return typeof value === 'string' ? value : shortened(JSON.stringify(value, null, 2), maxValue)
  })
}

/** What is asked where a route has no template. */
export function usualPrompt(route: string, event: string, payload: unknown): string {
  const raw = shortened(JSON.stringify(payload, null, 2), maxRaw)
  return `The webhook "${route}" has brought an event of the kind "${event}":\n\n\`\`\`json\n${raw}\n\`\`\``
}

function valueAt(payload: unknown, path: string): unknown {
  let value = payload
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = Reflect.get(value, key)
  }
  return value
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…`.toWellFormed() : text
}
