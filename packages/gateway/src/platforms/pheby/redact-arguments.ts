import type { Redactor } from '@hermes/core/security/redact.ts'

/** Names whose values are secrets, as words of a name: `apiKey`, `X-Auth-Token`, `db_password`. */
const secretName =
  /(^|[_\W])(api|access|private|secret|signing|encryption|ssh|auth)?[_\W]?(key|token|secret|passw(or)?d|passcode|passphrase|pwd|pin|otp|credentials?|authorization|auth|bearer|cookies?|jwt|session[_\W]?id)s?($|[_\W])/i

/** Of those, names whose values are secrets also as numbers; what the others number are counts, as `max_tokens`. */
const secretNumber = /(^|[_\W])(passw(or)?d|passcode|passphrase|pwd|pin|otp|secret)($|[_\W])/i

/** Longest text, most entries of a list or object, and deepest level that clients are shown. */
const [maxText, maxEntries, maxDepth] = [2_000, 50, 8]

export const hidden = '[redacted]'

/** What a tool is called with, as clients may see it: secrets go by the name of their field and by what they look like. */
export function redactArguments(args: unknown, redactor: Pick<Redactor, 'redact'>): Record<string, unknown> {
  const shown = shownValue(args, redactor, 0)
  return typeof shown === 'object' && shown !== null && !Array.isArray(shown)
    ? (shown as Record<string, unknown>)
    : { value: shown }
}

function shownValue(value: unknown, redactor: Pick<Redactor, 'redact'>, depth: number): unknown {
  if (typeof value === 'string') return cut(redactor.redact(value))
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxDepth) return '…'
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((one) => shownValue(one, redactor, depth + 1))
  const entries = Object.entries(value).slice(0, maxEntries)
  return Object.fromEntries(
    entries.map(([name, inner]) => [
      cut(redactor.redact(name)),
      isSecretName(name) && isHidden(name, inner) ? hidden : shownValue(inner, redactor, depth + 1),
    ]),
  )
}

/** Counts and switches are none, such as a number of tokens; nor is nothing. */
function isHidden(name: string, value: unknown): boolean {
  if (typeof value === 'number') return secretNumber.test(inWords(name))
  return typeof value === 'object' ? value !== null : typeof value === 'string' && value !== ''
}

/** Whether a field of that name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(inWords(name))
}

function inWords(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
}

function cut(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}…`.toWellFormed() : text
}
