import { addressKind, isAddress, nameKind } from './address-kind.ts'
import { NetworkError } from './network-error.ts'
import type { NetworkErrorCode } from './network-error.ts'
import type { NetworkRules } from './network-rules.ts'
import { parseWebUrl } from './parse-web-url.ts'
import type { WebUrl } from './parse-web-url.ts'
import { isWebPort } from './ports.ts'
import { addressesOf } from './resolve-host.ts'
import type { PolicyRule } from './website-policy.ts'

/** What would be done with a URL and why. `addresses`: what its host means; only these may be connected to. */
export type UrlVerdict =
  | { readonly allowed: true; readonly target: WebUrl; readonly addresses: readonly string[]; readonly reason: string }
  | {
      readonly allowed: false
      readonly code: NetworkErrorCode
      readonly reason: string
      /** The rule of the website list that refuses it. */
      readonly policy?: PolicyRule & { readonly host: string }
    }

/** Judges a URL before anything is sent. Looks its host up, once. Throws only when `signal` aborts: its reason. */
export async function checkUrl(text: string, rules: NetworkRules, signal: AbortSignal): Promise<UrlVerdict> {
  try {
    const target = parseWebUrl(text)
    const { hostname, port } = target
    const hit = await rules.policy.refusedBy(hostname)
    if (hit) return { ...refusal('policy', policyReason(hostname, hit)), policy: { ...hit, host: hostname } }
    const isNamed = rules.allowPrivate || rules.allowed.hasName(hostname, port)
    refuseName(hostname, { isNamed, port }, rules)
    const addresses = isAddress(hostname) ? [hostname] : await addressesOf(hostname, rules.resolve, signal)
    for (const address of addresses) refuseAddress(hostname, address, { isNamed, port }, rules)
    if (!isWebPort(port) && !rules.allowed.hasPort(hostname, addresses, port)) {
      return refusal('port', `Port ${port} of ${hostname} is not one that pages are fetched from`)
    }
    const isPublic = addresses.every((address) => addressKind(address) === 'public')
    const reason = isPublic ? 'it is a public address' : 'your settings allow this address'
    return { allowed: true, target, addresses, reason }
  } catch (error) {
    if (error instanceof NetworkError) return refusal(error.code, error.message)
    throw error
  }
}

interface Place {
  /** The settings allow this host wherever it is. */
  readonly isNamed: boolean
  readonly port: number
}

function refuseName(hostname: string, { isNamed, port }: Place, rules: NetworkRules): void {
  const kind = nameKind(hostname)
  if (kind === 'metadata') throw new NetworkError('metadata', metadataReason(hostname))
  // Whoever allows an address of this machine means its name too.
  const isLoopback = hostname === 'localhost' && ['127.0.0.1', '::1'].some((one) => rules.allowed.hasAddress(one, port))
  if (kind === 'private' && !isNamed && !isLoopback) throw new NetworkError('private', privateReason(hostname))
}

function refuseAddress(hostname: string, address: string, { isNamed, port }: Place, rules: NetworkRules): void {
  const kind = addressKind(address)
  const shown = hostname === address ? address : `${hostname} (${address})`
  if (kind === 'metadata') throw new NetworkError('metadata', metadataReason(shown))
  if (kind === 'public' || isNamed || rules.allowed.hasAddress(address, port)) return
  throw new NetworkError('private', privateReason(shown))
}

function refusal(code: NetworkErrorCode, reason: string) {
  return { allowed: false, code, reason } as const
}

function metadataReason(host: string): string {
  return `${host} is where a cloud hands out credentials to its machines; it is never fetched`
}

function privateReason(host: string): string {
  return `${host} is not a public address: it is this machine, a machine on its network, or reserved. To allow it, beside what that list holds already, run: hermes config set security.allowed_private_hosts '["${host.split(' ')[0]}"]'`
}

function policyReason(host: string, { rule, source, problem }: PolicyRule): string {
  if (problem === undefined) return `${host} is refused by the website rule "${rule}" in ${source}`
  return `Every website is refused, since the rule "${rule}" in ${source} cannot be read: ${problem}. Repair or remove it`
}
