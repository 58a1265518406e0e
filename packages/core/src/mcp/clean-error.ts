import type { Redactor } from '../security/redact.ts'

/** Longest text of an error that is passed on, characters. */
const maxChars = 2_000

const patterns: readonly RegExp[] = [
  /\bgh[a-z]_\w{4,}/gi,
  /\bsk-[\w-]{4,}/gi,
  /\bBearer\s+[^\s"',;]+/gi,
  /\b(?:token|key|api_?key|password|secret)\s*=\s*[^\s"'&,;]+/gi,
]

/** What went wrong, in a server's or a library's words, bounded and without credentials. */
export function cleanError(error: unknown, redactor: Redactor): string {
  const text = error instanceof Error ? error.message : String(error)
  return cleanText(text, redactor)
}

/** A text of a server without credentials, no longer than an error may be. */
export function cleanText(text: string, redactor: Redactor): string {
  const bounded = text.length > maxChars ? `${text.slice(0, maxChars)} …`.toWellFormed() : text
  return patterns.reduce((clean, pattern) => clean.replace(pattern, '[REDACTED]'), redactor.redact(bounded)).trim()
}
