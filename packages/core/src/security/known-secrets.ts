import { knownVariables } from '../config/variables.ts'
import type { KnownSecret } from './redact.ts'

/** The secrets in an environment and a configuration, by their names, for a redactor to know. */
export function* knownSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  config: unknown,
): Generator<KnownSecret> {
  const secret = new Set(knownVariables().flatMap((variable) => (variable.secret ? variable.name : [])))
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (secret.has(name) || isSecretName(name))) yield* partsOf(name, value)
  }
  yield* secretsIn(config)
}

/** The values in a tree (a configuration, `auth.json`) that stand under names of secrets. */
export function secretsIn(value: unknown): readonly KnownSecret[] {
  const found: KnownSecret[] = []
  findSecrets(value, [], found)
  return found
}

/** `path` is that of the value, and as it was when this returns. */
function findSecrets(value: unknown, path: string[], found: KnownSecret[]): void {
  if (Array.isArray(value)) {
    for (const item of value) findSecrets(item, path, found)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      path.push(key)
      findSecrets(inner, path, found)
      path.pop()
    }
  } else if (typeof value === 'string' && value !== '' && isSecretName(path.at(-1) ?? '')) {
    found.push(...partsOf(path.join('.'), value))
  }
}

/** Whether what has this name is secret: `OPENROUTER_API_KEY`, `access_token`, `clientSecret`, `Authorization` … */
export function isSecretName(name: string): boolean {
  return word.test(name) || camelWord.test(name)
}

const word =
  /(?:^|[_.-])(?:api_?key|key|token|secret|passwords?|passwd|passphrase|pat|credentials?|auth|authorization)(?:_?\d+)?$/i
const camelWord = /[a-z0-9](?:Key|Token|Secret|Passwords?|Passphrase|Credentials?|Auth)\d*$/

/** One secret, or several with commas between, as some variables have them. A scheme before it is no part of it. */
function* partsOf(name: string, value: string): Generator<KnownSecret> {
  const plain = value.trim().replace(/^(?:bearer|basic|token|bot)\s+/i, '')
  if (isNoSecret(plain) || (isVague(name) && /^[A-Za-z]{1,15}$/.test(plain))) return
  yield { name, value: plain }
  const parts = plain.split(',').map((part) => part.trim())
  if (parts.length > 1) for (const part of parts) if (!isNoSecret(part)) yield { name, value: part }
}

/** `APP_KEY=development`: such a name alone does not make a common word secret. */
function isVague(name: string): boolean {
  return (
    /(?:^|[_.-])(?:key|auth|pat|credentials?)(?:_?\d+)?$/i.test(name) && !/(?:api|secret|private)[_-]?key/i.test(name)
  )
}

/** A path of a file with the secret, a reference to another variable, a plain number or switch. */
function isNoSecret(value: string): boolean {
  return /^(?:[~.]{0,2}\/|[A-Za-z]:\\|\$\{[^}]*\}$|\d{1,11}$|(?:true|false|yes|no|on|off)$)/i.test(value)
}
