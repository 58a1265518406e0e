import type { KnownSecret } from '../redact.ts'

/** Values known to be secret, found wherever they stand: as they are, or as URLs, JSON and base64 write them. */
export interface KnownValues {
  add(values: Iterable<string | KnownSecret>): void
  hideIn(text: string, hide: (secret: string) => string): string
  /** The name of a known value, where it has one. */
  nameOf(value: string): string | undefined
  /** Of how many forms they are. */
  readonly size: number
  /** Those with white space in them. */
  spaced(): readonly string[]
}

/** Shorter values would hit ordinary words. */
const minLength = 8

/** More than any home has; beyond it no value is added, so that the search stays quick. */
const maxForms = 5000

/** Words that stand where a secret should, and everywhere else too. */
const noSecrets =
  /^(?:password|passwort|changeme|undefined|disabled|required|optional|localhost|anonymous|placeholder|true|false)\d*$/i

export function createKnownValues(): KnownValues {
  /** Each form of each value, with the value it is a form of. */
  const forms = new Map<string, string>()
  const names = new Map<string, string>()
  let pattern: RegExp | undefined
  let spaced: readonly string[] | undefined

  return {
    get size() {
      return forms.size
    },
    add(values) {
      for (const entry of values) {
        const { name, value } = typeof entry === 'string' ? { name: undefined, value: entry } : entry
        const trimmed = value.trim()
        if (trimmed.length < minLength || noSecrets.test(trimmed) || trimmed.includes('«') || forms.size >= maxForms)
          continue
        for (const form of formsOf(trimmed)) if (!forms.has(form)) forms.set(form, trimmed)
        if (name !== undefined && !names.has(trimmed)) names.set(trimmed, name)
      }
      pattern = undefined
      spaced = undefined
    },
    hideIn(text, hide) {
      if (forms.size === 0) return text
      pattern ??= patternOf(forms.keys())
      return text.replace(pattern, (form) => hide(forms.get(form) ?? form))
    },
    nameOf: (value) => names.get(value),
    spaced: () => (spaced ??= [...forms.keys()].filter((form) => /\s/.test(form))),
  }
}

function formsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64')
  // The last group depends on what follows the value (`echo` adds a line break), so it is left out.
  const head = base64.slice(0, Math.floor(Buffer.byteLength(value) / 3) * 4)
  const forms = [value, encodeUri(value), JSON.stringify(value).slice(1, -1), head]
  return forms.filter((form, index) => form.length >= minLength && forms.indexOf(form) === index)
}

function encodeUri(value: string): string {
  // Half a surrogate pair has no encoding.
  return value.isWellFormed() ? encodeURIComponent(value) : value
}

/** Longest first, so that a value that holds another one is hidden whole. */
function patternOf(forms: Iterable<string>): RegExp {
  const sorted = [...forms].sort((a, b) => b.length - a.length)
  return new RegExp(sorted.map((form) => RegExp.escape(form)).join('|'), 'g')
}
