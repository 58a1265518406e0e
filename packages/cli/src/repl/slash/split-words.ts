/** The words of a line as a shell parts them: quotes hold words together, a backslash takes the next character as it is. */
export function splitWords(line: string): readonly string[] {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!
    if (char === '\\' && quote !== "'" && at + 1 < line.length) word = (word ?? '') + line[++at]!
    else if (char === quote) quote = undefined
    else if (quote === undefined && (char === '"' || char === "'")) [quote, word] = [char, word ?? '']
    else if (quote === undefined && /\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + char
  }
  return word === undefined ? words : [...words, word]
}
