/** Most alternatives that the braces of one pattern may make. */
const maxAlternatives = 100

/** Whether a text has anything that a pattern gives a meaning to. */
export function hasWildcard(text: string): boolean {
  return /[*?[{]/.test(text)
}

/**
 * Compiles a file pattern (`*`, `?`, `[a-z]`, `{a,b}`, `**`). Without a slash it is for the name alone, at any depth;
 * with one for the whole path below the folder searched, its parts joined by `/`. Takes linear time for each part of a
 * path, whatever the pattern.
 */
export function compileGlob(pattern: string): (path: string) => boolean {
  const alternatives = expandBraces(pattern.replace(/^(?:\.?\/)+/, '')).map((one) => {
    const parts = one.split('/').map((part) => (part === '**' ? 'any' : compilePart(part)))
    return { parts, isName: parts.length === 1 && parts[0] !== 'any' }
  })
  return (path) => {
    const names = path.split('/')
    return alternatives.some(({ parts, isName }) => matchesPath(parts, isName ? names.slice(-1) : names))
  }
}

type Part = 'any' | readonly Token[]

type Token =
  | { readonly type: 'star' }
  | { readonly type: 'one' }
  | { readonly type: 'letter'; readonly letter: string }
  | { readonly type: 'set'; readonly ranges: readonly (readonly [string, string])[]; readonly isNot: boolean }

const star: Token = { type: 'star' }

/** `any` stands for any number of folders, none included. */
function matchesPath(parts: readonly Part[], names: readonly string[]): boolean {
  return matchesSequence(
    parts,
    names,
    (part) => part === 'any',
    (part, name) => part !== 'any' && matchesPart(part, name),
  )
}

function matchesPart(tokens: readonly Token[], name: string): boolean {
  return matchesSequence(tokens, Array.from(name), (token) => token.type === 'star', matchesLetter)
}

/** Matches items one by one, where some patterns stand for any number of items; goes back to the last of those only. */
function matchesSequence<P, I>(
  patterns: readonly P[],
  items: readonly I[],
  isMany: (pattern: P) => boolean,
  matches: (pattern: P, item: I) => boolean,
): boolean {
  let pattern = 0
  let item = 0
  let many: { pattern: number; item: number } | undefined
  while (item < items.length) {
    const current = patterns[pattern]
    if (current !== undefined && isMany(current)) {
      many = { pattern, item }
      pattern += 1
    } else if (current !== undefined && matches(current, items[item] as I)) {
      pattern += 1
      item += 1
    } else if (many) {
      many = { pattern: many.pattern, item: many.item + 1 }
      pattern = many.pattern + 1
      item = many.item
    } else return false
  }
  return patterns.slice(pattern).every(isMany)
}

function matchesLetter(token: Token, letter: string): boolean {
  if (token.type === 'one') return true
  if (token.type === 'letter') return token.letter === letter
  if (token.type === 'set') return token.ranges.some(([from, to]) => from <= letter && letter <= to) !== token.isNot
  return false
}

function compilePart(part: string): Token[] {
  const tokens: Token[] = []
  const letters = Array.from(part)
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] ?? ''
    const set = letter === '[' ? readSet(letters, at) : undefined
    if (set) {
      tokens.push(set.token)
      at = set.end
    } else if (letter === '*') {
      if (tokens.at(-1)?.type !== 'star') tokens.push(star)
    } else if (letter === '?') tokens.push({ type: 'one' })
    else if (letter === '\\' && at + 1 < letters.length)
      tokens.push({ type: 'letter', letter: letters[(at += 1)] ?? '' })
    else tokens.push({ type: 'letter', letter })
  }
  return tokens
}

function readSet(letters: readonly string[], start: number): { token: Token; end: number } | undefined {
  const isNot = letters[start + 1] === '!' || letters[start + 1] === '^'
  const first = start + (isNot ? 2 : 1)
  const end = letters.indexOf(']', first + 1)
  if (end === -1) return undefined
  const ranges: [string, string][] = []
  for (let at = first; at < end; at++) {
    const from = letters[at] ?? ''
    const isRange = letters[at + 1] === '-' && at + 2 < end
    ranges.push([from, isRange ? (letters[at + 2] ?? from) : from])
    if (isRange) at += 2
  }
  return { token: { type: 'set', ranges, isNot }, end }
}

/** `a{b,c}` as `ab` and `ac`; braces that do not pair are letters. */
function expandBraces(pattern: string): string[] {
  let open = [pattern]
  const done: string[] = []
  while (open.length > 0 && open.length + done.length <= maxAlternatives) {
    const next: string[] = []
    for (const one of open) {
      const braces = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(one)
      if (!braces) done.push(one)
      else next.push(...(braces[2] ?? '').split(',').map((choice) => `${braces[1]}${choice}${braces[3]}`))
    }
    open = next
  }
  return [...done, ...open].slice(0, maxAlternatives)
}
