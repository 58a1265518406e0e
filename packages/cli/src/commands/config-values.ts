import { isSecretName } from '@hermes/core/security/known-secrets.ts'
import { createRedactor } from '@hermes/core/security/redact.ts'

/** Writes values as people may see them: secrets are masked, under whatever they stand. */
export interface ShownValues {
  /** A copy of a value with the secrets in it masked. `name` is its key or variable. */
  readonly mask: (name: string, value: unknown) => unknown
  /** The same on one line. */
  readonly text: (name: string, value: unknown) => string
}

export function createShownValues(): ShownValues {
  // Values that give themselves away, such as a URL with a password in it.
  const redactor = createRedactor({ enabled: true })
  const mask = (name: string, value: unknown): unknown => {
    if (typeof value === 'string') return isSecretName(lastPart(name)) ? maskSecret(value) : redactor.redact(value)
    if (Array.isArray(value)) return value.map((item) => mask(name, item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mask(key, inner)]))
  }
  const text = (name: string, value: unknown): string => {
    const masked = mask(name, value)
    if (masked === undefined) return '(not set)'
    return typeof masked === 'string' ? masked || '""' : JSON.stringify(masked)
  }
  return { mask, text }
}

/** The ends of a long key, by which people know it, and nothing of a short one. */
export function maskSecret(value: string): string {
  if (value === '') return '(not set)'
  if (/^\$\{\w+\}$/.test(value)) return value
  return value.length < 20 ? '***' : `${value.slice(0, 4)}...${value.slice(-4)}`
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
