/** Names that large services give themselves in `Authentication-Results`, by the end of their IMAP server's name. */
const known: readonly (readonly [host: string, name: string])[] = [
  ['gmail.com', 'mx.google.com'],
  ['googlemail.com', 'mx.google.com'],
  ['fastmail.com', 'messagingengine.com'],
  ['mail.me.com', 'dmarc.icloud.com'],
  ['mail.yahoo.com', 'yahoo.com'],
  ['aol.com', 'yahoo.com'],
  ['zoho.com', 'mx.zohomail.com'],
]

/**
 * The servers whose word on a sender counts where none is named: the known one of a service, and those under the domain
 * of the address or of the IMAP server. Such servers take away what strangers write in their name (RFC 8601, 5).
 */
export function trustedServers(address: string, imapHost: string): readonly string[] {
  const host = imapHost.toLowerCase()
  const service = known.flatMap(([end, name]) => (isUnder(host, end) ? [name] : []))
  if (service.length > 0) return service
  const domain = address.slice(address.lastIndexOf('@') + 1)
  const isName = /[a-z]/.test(host)
  // `imap.home.example` speaks for `home.example`; any other name may stand right below one that many share.
  const parent = /^(?:imaps?|mail|mx|secure)\d*\.(.+\..+)$/.exec(host)?.[1]
  return [...new Set([domain, ...(isName ? [host] : []), ...(parent === undefined ? [] : [parent])])]
}

/** Whether a name is `parent` or stands below it. */
export function isUnder(name: string, parent: string): boolean {
  return name === parent || name.endsWith(`.${parent}`)
}
