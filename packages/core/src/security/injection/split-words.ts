/** Words that are written apart, put together; undefined where there are none. Meant for matching alone. */
export function joinSplitWords(text: string): string | undefined {
  let isChanged = false
  const joined = text.replaceAll(
    /(?<![\p{L}\p{N}])(?:[a-z0-9@$!][ .\-_*|/·,]){2,40}[a-z0-9@$!](?![\p{L}\p{N}])/giu,
    (word) => {
      isChanged = true
      // A gap of two or more parts words; between single letters it cannot be told.
      return word.replaceAll(/[ .\-_*|/·,]/gu, '')
    },
  )
  return isChanged ? joined : undefined
}

/** A text without emphasis, underscores and tags, which split a word for a search and not for a reader. */
export function withoutMarkup(text: string): string | undefined {
  if (!/[a-z](?:[*~`_]{1,6}|(?:<[^<>]{0,200}>){1,4})[a-z]/iu.test(text)) return undefined
  return text
    .replaceAll(/<\/?[a-z][a-z0-9]{0,15}(?:\s[^<>]{0,200})?>/giu, '')
    .replaceAll(/[*~`]{1,3}|_{2,3}/gu, '')
    .replaceAll(/(?<=\p{L})_(?=\p{L})/gu, ' ')
}

const digits: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
  '+': 't',
}

/** A text whose words are written with digits and signs for letters, in letters; undefined where too few are. */
export function spellOutDigits(text: string): string | undefined {
  let count = 0
  const spelt = text.replaceAll(
    /(?<![\w@$!|+])(?=[^\s]{0,40}[a-z])(?=[^\s]{0,40}[013457@$!|+])[a-z013457@$!|+]{3,24}(?![\w@$|+])/giu,
    (word) => {
      count += 1
      return word.replaceAll(/[013457@$!|+]/gu, (sign) => digits[sign] ?? sign)
    },
  )
  if (count < 2) return undefined
  return spelt.replaceAll(/\b(?:4ll|@ll|a11|aii)\b/giu, 'all')
}

const runTogether =
  /(?:ignore|disregard|forget|bypass|override)(?:all|any|the|your|my|of|these|every){0,4}(?:previous|prior|above|earlier|preceding|system|safety|your|original|all)(?:the|system|given|safety){0,2}(?:instruction|rule|guideline|direction|prompt|order|command|restriction)/

const otherOrders =
  /(?:reveal|print|show|output|leak)(?:me|the|your){0,3}(?:hidden|full|entire)?systemprompt|donottelltheuser/

/** Whether orders stand in a text without any gaps between their words. `text` is in lower case. */
export function hasRunTogetherOrder(text: string): boolean {
  return runTogether.test(text) || otherOrders.test(text)
}

const anywhere = new RegExp(runTogether.source, 'gu')

/** How often orders stand in a text once the gaps within its sentences are taken out: it may part words anywhere. */
export function countOrdersWithoutGaps(text: string): number {
  return text.replaceAll(/[ \t*_~`/|,·-]{1,9}/gu, '').match(anywhere)?.length ?? 0
}
