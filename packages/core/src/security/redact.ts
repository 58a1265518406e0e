/**
 * Hides secrets in text that people, logs or stores see. The same value always becomes the same placeholder, so that
 * two mentions can be told to be one.
 */
export interface Redactor {
  /** `text` with every recognised secret replaced. Returns `text` itself when there was none. */
  redact(text: string): string
  /** Adds values known to be secret (from `.env`, `auth.json`, config). Short ones (< 8 characters) are ignored. */
  addKnown(values: Iterable<string>): void
}
