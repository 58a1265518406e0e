import type { Redactor } from '../security/redact.ts'
import { hideIssuedKeys } from '../security/secrets/issued-keys.ts'

/** How often a text is decoded at most. */
const maxDecodings = 3

/**
 * Whether what is about to be sent to a stranger holds something that looks like a secret, or that is known to be one,
 * as it is written or encoded as URLs are. Keys of known shapes count also where redaction is off.
 */
export function holdsSecret(text: string, redactor: Pick<Redactor, 'redact'>): boolean {
  let form = text
  for (let decodings = 0; ; decodings += 1) {
    if (redactor.redact(form) !== form || hideIssuedKeys(form, () => '') !== form) return true
    const decoded = percentDecoded(form)
    if (decoded === form || decodings === maxDecodings) return false
    form = decoded
  }
}

function percentDecoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch (error) {
      if (error instanceof URIError) return encoded
      throw error
    }
  })
}
