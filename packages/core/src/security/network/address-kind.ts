import ipaddr from 'ipaddr.js'

/** `public`: anybody's server; `private`: everything that is not; `metadata`: where clouds hand out credentials. */
export type AddressKind = 'public' | 'private' | 'metadata'

/** Metadata services at addresses of their own, some of which look public. */
const metadataRanges: readonly string[] = [
  // AWS, Google Cloud, Azure, Oracle, DigitalOcean, OpenStack; and AWS's task credentials beside it.
  '169.254.169.254/32',
  '169.254.170.2/32',
  '169.254.170.23/32',
  'fd00:ec2::254/128',
  'fd00:ec2::23/128',
  'fd20:ce::254/128',
  // Alibaba Cloud; Oracle Cloud; Azure's host agent; Tencent Cloud.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
  '169.254.0.23/32',
]

/** Names that these services are known by. */
const metadataNames =
  /^(?:metadata|instance-data|metadata\.goog|metadata\.google|.{1,80}\.metadata\.goog)$|(?:^|\.)metadata\.google\.internal$|^instance-data\.[\w.-]{0,60}internal$|^metadata\.(?:azure|platformequinix|packet|tencentyun)\.(?:internal|com|net)$/

/** Names that never mean a public server. */
const privateNames =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|home\.arpa|localhost6|ip6-localhost|ip6-loopback)$/

/** What kind of place an address is. What is no address counts as private. */
export function addressKind(address: string): AddressKind {
  const parsed = parse(address)
  if (!parsed) return 'private'
  const embedded = parsed.kind() === 'ipv6' ? embeddedIpv4(parsed.toByteArray()) : undefined
  if (embedded) return addressKind(embedded) === 'metadata' ? 'metadata' : 'private'
  if (metadataRanges.some((range) => inRange(address, range))) return 'metadata'
  if (parsed.range() !== 'unicast') return 'private'
  // Nothing outside of 2000::/3 is handed out.
  const [first = 0] = parsed.toByteArray()
  return parsed.kind() === 'ipv4' || first >> 5 === 1 ? 'public' : 'private'
}

/** What a host name says by itself; undefined: ask for its addresses. */
export function nameKind(hostname: string): Exclude<AddressKind, 'public'> | undefined {
  if (metadataNames.test(hostname)) return 'metadata'
  return privateNames.test(hostname) ? 'private' : undefined
}

/** Whether an address lies in a range (`10.0.0.0/8`, `::1/128`). An IPv4 address in IPv6 form counts as itself. */
export function inRange(address: string, range: string): boolean {
  const parsed = parse(address)
  if (!parsed || !ipaddr.isValidCIDR(range)) return false
  const [network, bits] = ipaddr.parseCIDR(range)
  return parsed.kind() === network.kind() && parsed.match(network, bits)
}

/** Whether a text is an IP address, in its usual form. */
export function isAddress(text: string): boolean {
  return parse(text) !== undefined
}

/** The usual form; an IPv4 address in IPv6 form as itself. Undefined for what is none. */
export function normalAddress(text: string): string | undefined {
  return parse(text)?.toString()
}

/** Two forms of one address are one; zones are left out. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const [plain = ''] = text.split('%')
  if (ipaddr.IPv4.isValidFourPartDecimal(plain)) return ipaddr.IPv4.parse(plain)
  if (!plain.includes(':') || !ipaddr.IPv6.isValid(plain)) return undefined
  const address = ipaddr.IPv6.parse(plain)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** The IPv4 address that a translated or tunnelled IPv6 address leads to. */
function embeddedIpv4(bytes: readonly number[]): string | undefined {
  const at = (index: number, flip = 0) => [0, 1, 2, 3].map((offset) => (bytes[index + offset] ?? 0) ^ flip).join('.')
  const startsWith = (...prefix: readonly number[]) => prefix.every((byte, index) => bytes[index] === byte)
  const zero = (from: number, to: number) => bytes.slice(from, to).every((byte) => byte === 0)
  // NAT64 (RFC 6052, 8215); 6to4 (RFC 3056); Teredo (RFC 4380), whose client is written inverted.
  if (startsWith(0, 0x64, 0xff, 0x9b)) return at(12)
  if (startsWith(0x20, 0x02)) return at(2)
  if (startsWith(0x20, 0x01, 0, 0)) return at(12, 0xff)
  // Translated (RFC 2765) and compatible (RFC 4291) addresses; `::` and `::1` lead nowhere else.
  if (zero(0, 8) && startsWith(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff)) return at(12)
  if (zero(0, 12) && !zero(12, 15)) return at(12)
  // ISATAP (RFC 5214), in any network.
  const isIsatap = ((bytes[8] ?? 0) & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe
  return isIsatap ? at(12) : undefined
}
