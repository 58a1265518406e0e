import ipaddr from 'ipaddr.js'
import { inRange, normalAddress } from './address-kind.ts'

/** What `security.allowed_private_hosts` lets through: hosts, ranges, each with or without a port. */
export interface AllowedHosts {
  /** Whether a host by this name may be anywhere. */
  hasName(hostname: string, port: number): boolean
  /** Whether this address may be reached. */
  hasAddress(address: string, port: number): boolean
  /** Whether an entry names this port, which then needs no other permission. */
  hasPort(hostname: string, addresses: readonly string[], port: number): boolean
}

interface Entry {
  readonly name?: string
  /** CIDR. */
  readonly range?: string
  readonly port: number | undefined
}

/** Reads the entries; what is none of them allows nothing. */
export function allowedHosts(texts: readonly string[]): AllowedHosts {
  const entries = texts.flatMap((text) => parseEntry(text) ?? [])
  const matches = (entry: Entry, port: number) => entry.port === undefined || entry.port === port
  const isName = (entry: Entry, hostname: string) => entry.name === hostname
  const isAddress = (entry: Entry, address: string) => entry.range !== undefined && inRange(address, entry.range)
  return {
    hasName: (hostname, port) => entries.some((entry) => isName(entry, hostname) && matches(entry, port)),
    hasAddress: (address, port) => entries.some((entry) => isAddress(entry, address) && matches(entry, port)),
    hasPort: (hostname, addresses, port) =>
      entries.some(
        (entry) =>
          entry.port === port &&
          (isName(entry, hostname) || (addresses.length > 0 && addresses.every((one) => isAddress(entry, one)))),
      ),
  }
}

/** `nas.local`, `nas.local:8080`, `10.0.0.0/8`, `[::1]:3000`, `fd00::/8`. */
function parseEntry(text: string): Entry | undefined {
  const written = text.trim().toLowerCase()
  const [, bracketed, bare, digits] =
    /^(?:\[([0-9a-f:.]{2,45})\]|([^\s/:[\]]{1,253}))(?::(\d{1,5}))?$/.exec(written) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  const address = normalAddress(bracketed ?? bare ?? written)
  if (address !== undefined) return { range: `${address}/${address.includes(':') ? 128 : 32}`, port }
  if (ipaddr.isValidCIDR(written)) return { range: written, port: undefined }
  const name = bare?.replace(/\.$/, '')
  return name ? { name, port } : undefined
}
