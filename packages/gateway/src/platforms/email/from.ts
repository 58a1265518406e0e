import { addressParser } from 'postal-mime'
import { normalAddress } from './address.ts'

/** Who a mail says that it is from. */
export interface MailSender {
  readonly address: string
  /** As written; empty where there is none. */
  readonly name: string
}

/** Longest name that is kept, characters. */
const maxNameChars = 100

/**
 * The one person of the `From` headers. Undefined where there is none, are several, or where another reader could take it
 * for another: who is let in by it must be who was looked at when it was checked.
 */
export function readFrom(headers: readonly string[]): MailSender | undefined {
  const [value, ...more] = headers
  if (value === undefined || more.length > 0 || value.length > 2_000) return undefined
  const [found, ...others] = addressParser(value)
  if (!found || others.length > 0 || found.group !== undefined) return undefined
  const address = normalAddress(found.address)
  if (address === undefined) return undefined
  const named = bareAddresses(value).map((one) => normalAddress(one))
  if (named.length === 0 || named.some((one) => one !== address)) return undefined
  const name = found.name.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  return { address, name: name.slice(0, maxNameChars).toWellFormed() }
}

/** All that looks like an address outside of quotes and comments. */
function bareAddresses(value: string): readonly string[] {
  const bare = value.replaceAll(/"(?:[^"\\]|\\[^])*"/g, ' ').replaceAll(/\((?:[^()\\]|\\[^])*\)/g, ' ')
  return bare.match(/[^\s<>,;:"()]+@[^\s<>,;:"()]+/g) ?? []
}
