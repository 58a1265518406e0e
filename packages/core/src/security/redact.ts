import { hideHeaders } from './secrets/headers.ts'
import { hideIssuedKeys } from './secrets/issued-keys.ts'
import { createKnownValues } from './secrets/known-values.ts'
import { hideNamedValues } from './secrets/named-values.ts'
import { hidePrivateKeys } from './secrets/private-keys.ts'
import type { HideRule } from './secrets/rule.ts'
import { hideUrlCredentials } from './secrets/url-credentials.ts'

/**
 * Hides secrets in text that people, logs or stores see. The same value always becomes the same placeholder, so that
 * two mentions can be told to be one.
 */
export interface Redactor {
  /** `text` with every recognised secret replaced. Returns `text` itself when there was none. */
  redact(text: string): string
  /**
   * Adds values known to be secret (from `.env`, `auth.json`, config), by themselves or with the name that their
   * placeholder shows. Short ones (< 8 characters) are ignored.
   */
  addKnown(values: Iterable<string | KnownSecret>): void
  /** `text` with the secrets back where their placeholders stand, and the placeholders of which nothing is known. */
  reveal(text: string): RevealedText
  /** What was redacted before stays right as long as this is the same; no two redactors have one. */
  revision?(): string
  /** Known values with white space in them, which a stream must not let go of half-way; absent: there are none. */
  spacedValues?(): readonly string[]
}

export interface RevealedText {
  readonly text: string
  /** Placeholders that were replaced. */
  readonly revealed: readonly string[]
  /** Placeholders that another process has given out, or that nobody has. */
  readonly unknown: readonly string[]
}

export interface KnownSecret {
  /** e.g. `OPENROUTER_API_KEY`. */
  readonly name: string
  readonly value: string
}

const rules: readonly HideRule[] = [hidePrivateKeys, hideUrlCredentials, hideHeaders, hideIssuedKeys, hideNamedValues]

const maxPasses = 4

/** Placeholders whose secrets are remembered, so that a model can use what it has only seen hidden. */
const maxRemembered = 1_000

const placeholderPattern = /«secret:[^»\n]{1,100}»/g

/** Digests kept, so that a text full of one secret is no slower than another. */
const maxRecent = 500

/**
 * Makes a redactor. A known value becomes `«secret:NAME»`, any other `«secret:4f1a9c»`: a digest whose key only this
 * redactor has, so that nothing of the value can be learnt from it. When `enabled` is false, texts pass as they are.
 */
export function createRedactor({
  enabled,
  known = [],
}: {
  readonly enabled: boolean
  readonly known?: Iterable<string | KnownSecret>
}): Redactor {
  const values = createKnownValues()
  values.add(known)
  const id = Math.random().toString(36).slice(2)
  let digest: ((secret: string) => string) | undefined
  /** By placeholder; undefined where two secrets share one. */
  const remembered = new Map<string, string | undefined>()
  const hide = (secret: string) => {
    digest ??= createDigest()
    const placeholder = `«secret:${values.nameOf(secret) ?? digest(secret)}»`
    if (!remembered.has(placeholder) && remembered.size >= maxRemembered) {
      for (const oldest of remembered.keys()) {
        remembered.delete(oldest)
        break
      }
    }
    const isShared = remembered.has(placeholder) && remembered.get(placeholder) !== secret
    remembered.set(placeholder, isShared ? undefined : secret)
    return placeholder
  }
  return {
    redact(text) {
      if (!enabled || text.length < 8) return text
      let result = text
      // A secret that follows another without a gap is only seen once that one is gone.
      for (let pass = 0; pass < maxPasses; pass++) {
        const before = result
        result = rules.reduce((hidden, rule) => rule(hidden, hide), values.hideIn(result, hide))
        if (result === before) break
      }
      return result
    },
    addKnown: (more) => values.add(more),
    reveal(text) {
      const revealed = new Set<string>()
      const unknown = new Set<string>()
      const whole = text.replaceAll(placeholderPattern, (placeholder) => {
        const secret = remembered.get(placeholder)
        if (secret === undefined) unknown.add(placeholder)
        else revealed.add(placeholder)
        return secret ?? placeholder
      })
      return { text: whole, revealed: [...revealed], unknown: [...unknown] }
    },
    revision: () => `${id} ${values.size}`,
    spacedValues: () => (enabled ? values.spaced() : []),
  }
}

/** A short digest under a key of its own. The library costs some ms at start, and most starts hide nothing. */
function createDigest(): (secret: string) => string {
  const { createHmac, randomBytes } = process.getBuiltinModule('node:crypto')
  const key = randomBytes(16)
  const recent = new Map<string, string>()
  return (secret) => {
    const known = recent.get(secret)
    if (known !== undefined) return known
    const digest = createHmac('sha256', key).update(secret).digest('hex').slice(0, 6)
    if (recent.size >= maxRecent) recent.clear()
    recent.set(secret, digest)
    return digest
  }
}
