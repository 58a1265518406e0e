/** Who or what a fact is about, as far as its spelling shows. */
export interface FoundEntity {
  readonly name: string
  /** Other names that the text gives it. */
  readonly aliases: readonly string[]
}

/** Most entities of one fact. */
const maxEntities = 16

const maxNameChars = 80

/** Marks around what somebody named on purpose. */
const quoted = [
  /(?<!\w)"([^"\r\n]{1,80})"(?!\w)/g,
  /(?<!\w)'([^'\r\n]{1,80})'(?!\w)/g,
  /`([^`\r\n]{1,80})`/g,
  /[“「『《]([^”」』》\r\n]{1,80})[”」』》]/g,
]

/** Names of several words, and single ones inside a sentence: capitals at its beginning say nothing. */
const names = /\p{Lu}[\p{L}\p{M}\p{N}'’_.-]*(?:\s+\p{Lu}[\p{L}\p{M}\p{N}'’_.-]*){0,5}/gu

const handles = /(?<![\w/])@[A-Za-z][\w.-]{1,40}/g

const alsoKnownAs =
  /([\p{L}\p{N}][\p{L}\p{N} ._-]{0,60}?)\s+(?:aka|AKA|a\.k\.a\.|also\s+known\s+as)\s+([\p{L}\p{N}][\p{L}\p{N}_-]*(?:\s+\p{Lu}[\p{L}\p{N}_-]*){0,4})/gu

/** Words that begin with a capital for other reasons. */
const noNames = new Set(
  'a an and are as at but by can did do does for from has have he her his how i if in is it its my no not of on one or our she so that the their there these they this to was we were what when where which who why with you your monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december user users'.split(
    ' ',
  ),
)

/** The entities that a text names: names, handles, and what stands in quotes. */
export function entitiesIn(text: string): FoundEntity[] {
  const found = new Map<string, { name: string; aliases: string[] }>()
  const add = (raw: string | undefined, aliases: readonly string[] = []) => {
    const name = cleanName(raw ?? '')
    if (name === '' || found.size >= maxEntities) return
    const known = found.get(name.toLowerCase())
    if (known) known.aliases.push(...aliases)
    else found.set(name.toLowerCase(), { name, aliases: [...aliases] })
  }
  const others = new Set<string>()
  for (const [, name, alias] of text.matchAll(alsoKnownAs)) {
    const other = cleanName(alias ?? '')
    if (other === '') continue
    others.add(other.toLowerCase())
    add(lastName(name ?? ''), [other])
  }
  for (const pattern of quoted) for (const [, name] of text.matchAll(pattern)) add(name)
  for (const [handle] of text.matchAll(handles)) add(handle)
  for (const { 0: phrase, index } of text.matchAll(names)) {
    const name = withoutOpening(phrase, beginsSentence(text, index))
    if (!others.has(name.toLowerCase())) add(name)
  }
  return [...found.values()]
}

/** The name as it is kept and compared. */
export function cleanName(raw: string): string {
  const name = raw
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .replace(/['’]s$/i, '')
    .replace(/^[\s,;:.!?()[\]{}]+|[\s,;:.!?()[\]{}]+$/g, '')
    // Aliases are kept in a list with commas.
    .replaceAll(',', ' ')
  return name.length > maxNameChars || !/[\p{L}\p{N}]/u.test(name) ? '' : name
}

/** The capitalised words at the end of what stands before "aka", or its last word. */
function lastName(before: string): string {
  return /(?:\p{Lu}[\p{L}\p{N}._-]*\s+)*[\p{L}\p{N}._-]+$/u.exec(before.trim())?.[0] ?? before
}

function beginsSentence(text: string, index: number): boolean {
  return /(?:^|[.!?:\n]["'“‘(]?)\s*$/.test(text.slice(Math.max(0, index - 4), index)) || index === 0
}

/** A phrase without words that are no names; one word that begins a sentence is taken for an ordinary one. */
function withoutOpening(phrase: string, isOpening: boolean): string {
  const words = phrase.split(/\s+/)
  while (words.length > 0 && noNames.has(bare(words[0]))) words.shift()
  while (words.length > 0 && noNames.has(bare(words.at(-1)))) words.pop()
  const isWholePhrase = words.length === phrase.split(/\s+/).length
  return words.length === 1 && isOpening && isWholePhrase ? '' : words.join(' ')
}

function bare(word: string | undefined): string {
  return (word ?? '').toLowerCase().replace(/[^\p{L}\p{N}]+$/gu, '')
}
