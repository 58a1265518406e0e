/** Where headers are looked up: by name in lower case, all values in order. */
export type MailHeaders = (name: string) => readonly string[]

/** Mailboxes that no person writes from. */
const machines =
  /(?:^|[._+-])(?:no[._-]?reply|do[._-]?not[._-]?reply|mailer[._-]?daemon|postmaster|bounces?|notifications?|automated|auto[._-]?confirm|auto[._-]?reply|automailer)(?:[._+=-]|$)/

/**
 * Why a mail is not a person's, for the log; undefined where it may be. Who answers such mail writes to a program, which
 * answers again (RFC 3834).
 */
export function whyAutomated(address: string, headers: MailHeaders): string | undefined {
  const first = (name: string) => headers(name)[0]?.trim().toLowerCase()
  if (machines.test(address.slice(0, address.lastIndexOf('@')))) return 'its sender is a program'
  const submitted = first('auto-submitted')?.split(/[;\s]/)[0]
  if (submitted !== undefined && submitted !== 'no') return 'Auto-Submitted'
  if (/^(?:bulk|list|junk|auto[_-]reply)\b/.test(first('precedence') ?? '')) return 'Precedence'
  for (const name of ['x-auto-response-suppress', 'list-id', 'list-unsubscribe', 'x-autoreply', 'x-autorespond']) {
    if (headers(name).length > 0) return name
  }
  if (first('return-path') === '<>') return 'it is a bounce'
  const type = first('content-type') ?? ''
  return /^multipart\/report\b/.test(type) ? 'it is a report' : undefined
}
