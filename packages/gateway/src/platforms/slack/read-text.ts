import type { MessageEvent } from './payloads.ts'

/** Longest text of a shared message that is told, characters. */
const maxShared = 4_000

/** Names by the ids of people. */
export type NameOf = (userId: string) => string | undefined

/** What a person wrote, without Slack's marks for links, mentions and escapes, and without the mention of `without`. */
export function readText(text: string, nameOf: NameOf, without?: string): string {
  // Spaces elsewhere may be those of code.
  const address = without === undefined ? undefined : new RegExp(`([ \\t]?)${mentionOf(without).source}[ \\t]?`, 'g')
  const own = address ? text.replaceAll(address, '$1').trim() : text
  return own
    .replaceAll(/<([^<>\n]+)>/g, (_whole, token: string) => readToken(token, nameOf))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** What a person wrote to us: where nothing but our name is left, the name. */
export function readMessageText({ text }: MessageEvent, nameOf: NameOf, botUserId: string): string {
  return readText(text ?? '', nameOf, botUserId) || readText(text ?? '', nameOf)
}

/** Messages of others that a person passes on. */
export function readShared({ attachments }: MessageEvent, nameOf: NameOf): readonly string[] {
  return (attachments ?? []).flatMap(({ is_share: isShare, text, fallback, author_name: author }) => {
    const words = readText(text || fallback || '', nameOf)
      .slice(0, maxShared)
      .toWellFormed()
    return isShare && words !== '' ? [`[Shared message${author ? ` of ${author}` : ''}:]\n${words}\n[Its end.]`] : []
  })
}

/** Ids of people who are mentioned. */
export function mentionedUsers(text: string): readonly string[] {
  return [...text.matchAll(/<@([A-Z0-9]+)(?:\|[^<>]*)?>/g)].flatMap(([, id]) => id ?? [])
}

export function isMentioned(text: string, userId: string): boolean {
  return mentionOf(userId).test(text)
}

function mentionOf(userId: string): RegExp {
  return new RegExp(`<@${userId}(?:\\|[^<>]*)?>[,:]?`, 'g')
}

function readToken(token: string, nameOf: NameOf): string {
  const [target = '', label] = token.split('|')
  if (target.startsWith('@')) return `@${nameOf(target.slice(1)) ?? label ?? target.slice(1)}`
  if (target.startsWith('#')) return `#${label || target.slice(1)}`
  if (target.startsWith('!')) return label ?? `@${target.slice(1).split('^')[0]}`
  const address = target.replace(/^mailto:/, '')
  return label === undefined || label === address || address.endsWith(`//${label}`) ? address : `${label} (${address})`
}
