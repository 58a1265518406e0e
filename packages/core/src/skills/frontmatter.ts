/** A SKILL.md taken apart. */
export interface Frontmatter {
  /** The fields before the text; empty when there are none. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The text after them. */
  readonly body: string
  /** `yaml`: read in full; `lines`: no valid YAML, so only `key: value` lines were read; `none`: no frontmatter. */
  readonly form: 'yaml' | 'lines' | 'none'
}

/** Longer frontmatter is read line by line only. */
const maxYamlChars = 32 * 1024

/** Takes a SKILL.md apart. The fields begin at the first byte (a byte order mark aside) with a line `---`. */
export async function parseFrontmatter(text: string): Promise<Frontmatter> {
  const parts = splitFrontmatter(text)
  if (!parts) return { fields: {}, body: text.replace(/^\uFEFF/, ''), form: 'none' }
  const fields = parts.head.length <= maxYamlChars ? await yamlFields(parts.head) : undefined
  if (fields) return { fields, body: parts.body, form: 'yaml' }
  return { fields: lineFields(parts.head), body: parts.body, form: 'lines' }
}

/** The text between the two `---` lines and what follows, or undefined where these are missing. */
export function splitFrontmatter(text: string): { readonly head: string; readonly body: string } | undefined {
  const opening = /^\uFEFF?---[ \t]*\r?\n/.exec(text)
  if (!opening) return undefined
  const closing = /^---[ \t]*(?:\r?\n|$)/gm
  closing.lastIndex = opening[0].length
  const end = closing.exec(text)
  if (!end) return undefined
  return { head: text.slice(opening[0].length, end.index), body: text.slice(end.index + end[0].length) }
}

async function yamlFields(head: string): Promise<Record<string, unknown> | undefined> {
  const { parse } = await import('yaml')
  try {
    const value: unknown = parse(head, { logLevel: 'error', uniqueKeys: false, maxAliasCount: 20 })
    if (value === null) return {}
    return typeof value === 'object' && !Array.isArray(value) ? { ...value } : undefined
  } catch (error) {
    // Many skills in the wild have an unquoted colon in their description, which no YAML parser takes.
    if (error instanceof Error) return undefined
    throw error
  }
}

/** Unindented `key: value` lines. */
function lineFields(head: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const line of head.split(/\r?\n/)) {
    const found = /^([A-Za-z_][\w-]*):[ \t]*(.*)$/.exec(line)
    if (!found?.[1]) continue
    fields[found[1]] = (found[2] ?? '').trim().replace(/^(["'])(.*)\1$/, '$2')
  }
  return fields
}
