import { domainOf } from './address.ts'
import { isUnder } from './trusted-servers.ts'

/** One `Authentication-Results` header (RFC 8601). */
export interface AuthenticationResults {
  /** The server that says so, in lower case. */
  readonly server: string
  readonly results: readonly AuthenticationResult[]
}

export interface AuthenticationResult {
  /** `dmarc`, `dkim`, `spf`, `auth` …; in lower case. */
  readonly method: string
  readonly result: string
  /** `header.from` … to value, in lower case. */
  readonly properties: Readonly<Record<string, string>>
}

/** `unknown`: no server that is trusted has said anything. */
export type SenderVerdict = 'confirmed' | 'denied' | 'unknown'

/**
 * Whether the own mail server confirms that a mail is from `address`. `headers`: values of `Authentication-Results`, as
 * they stand in the mail: servers write theirs on top, so that only the first of a trusted one counts, whatever a
 * stranger has written below.
 */
export function senderVerdict(address: string, headers: readonly string[], trusted: readonly string[]): SenderVerdict {
  const found = ofTrusted(headers, trusted)?.read
  if (!found) return 'unknown'
  const domain = domainOf(address)
  const policies = found.results.filter(({ method }) => method === 'dmarc')
  const passes = (one: AuthenticationResult) => one.result === 'pass'
  // A domain's own policy decides where it has one.
  if (policies.some(({ result }) => !['pass', 'none', 'bestguesspass'].includes(result))) return 'denied'
  if (policies.some((one) => passes(one) && (one.properties['header.from'] ?? domain) === domain)) return 'confirmed'
  return found.results.some((one) => passes(one) && speaksFor(one, address)) ? 'confirmed' : 'denied'
}

/** What the own mail server has found out about a mail, in its words and read; undefined where it has said nothing. */
export function ofTrusted(headers: readonly string[], trusted: readonly string[]) {
  return headers
    .map((said) => ({ said, read: readAuthenticationResults(said) }))
    .find(({ read: { server } }) => trusted.some((name) => isUnder(server, name)))
}

/** Whether what was found belongs to the sender's domain, as DMARC understands it. */
function speaksFor({ method, properties }: AuthenticationResult, address: string): boolean {
  const domain = domainOf(address)
  if (method === 'auth') return properties['smtp.auth'] === address
  const named =
    method === 'dkim'
      ? (properties['header.d'] ?? properties['header.i'])
      : method === 'spf'
        ? properties['smtp.mailfrom']
        : undefined
  if (named === undefined) return false
  const other = domainOf(named)
  return other.includes('.') && (isUnder(other, domain) || isUnder(domain, other))
}

export function readAuthenticationResults(value: string): AuthenticationResults {
  const [head = '', ...parts] = splitOutsideQuotes(withoutComments(value.slice(0, 10_000)))
  const server = (head.trim().split(/\s+/)[0] ?? '').toLowerCase()
  return { server, results: parts.flatMap((part) => readResult(part) ?? []) }
}

function readResult(part: string): AuthenticationResult | undefined {
  const found = /^\s*([\w-]+)(?:\s*\/\s*\d+)?\s*=\s*([\w-]+)/.exec(part)
  const [whole = '', method, result] = found ?? []
  if (method === undefined || result === undefined) return undefined
  const properties: Record<string, string> = {}
  for (const [, type, name, quoted, plain] of part
    .slice(whole.length)
    .matchAll(/([\w-]+)\s*\.\s*([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g)) {
    properties[`${type}.${name}`.toLowerCase()] = (quoted ?? plain ?? '').toLowerCase()
  }
  return { method: method.toLowerCase(), result: result.toLowerCase(), properties }
}

/** Comments may stand anywhere, within each other too; in quotes there are none. */
function withoutComments(text: string): string {
  let out = ''
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (char === '\\') {
      if (depth === 0) out += text.slice(at, at + 2)
      at++
    } else if (char === '"' && depth === 0) {
      isQuoted = !isQuoted
      out += char
    } else if (char === '(' && !isQuoted) depth++
    else if (char === ')' && !isQuoted && depth > 0) depth--
    else if (depth === 0) out += char
  }
  return out
}

function splitOutsideQuotes(text: string): readonly string[] {
  return text.match(/(?:"(?:[^"\\]|\\[^])*"|[^;"]|"(?=[^"]*$))+/g) ?? []
}
