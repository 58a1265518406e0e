import { domainToASCII } from 'node:url'

/** Longest address, characters (RFC 5321). */
const maxChars = 254

const localPart = /^[^\s@<>()[\],;:\\"\p{Cc}\p{Cf}]{1,64}$/u
const domainPart = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$|^localhost$/

/**
 * An address in the one form in which it names a person: lower case, domain in ASCII. Undefined for what is none. What
 * may be written in several ways (quoted names, domains as numbers) counts as none.
 */
export function normalAddress(text: string): string | undefined {
  const trimmed = text.trim().normalize('NFC')
  const at = trimmed.lastIndexOf('@')
  const local = trimmed.slice(0, at).toLowerCase()
  const domain = at < 0 ? '' : domainToASCII(trimmed.slice(at + 1)).toLowerCase()
  if (trimmed.length > maxChars || !localPart.test(local) || !domainPart.test(domain)) return undefined
  return `${local}@${domain}`
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
