import { createHash } from 'node:crypto'
import { domainOf } from './address.ts'

/** The id of a mail of ours: the same for the same key, so that mail programs show it once if it comes twice. */
export function ownMessageId(key: string, address: string): string {
  const digest = createHash('sha256').update(`${address}\n${key}`).digest('hex').slice(0, 24)
  return `<hermes-${digest}@${domainOf(address)}>`
}

/** Whether an id is one of ours, or of an earlier version of the program. */
export function isOwnId(messageId: string, address: string): boolean {
  const [, domain] = /^<hermes-[0-9a-f]{12,24}@([^\s<>@]+)>$/i.exec(messageId) ?? []
  return domain?.toLowerCase() === domainOf(address)
}
