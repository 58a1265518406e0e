/** What a provider says of a request that was too long, tokens. What it does not say is undefined. */
export interface OverflowFacts {
  /** The model's window. */
  readonly windowTokens: number | undefined
  /** What was sent, without room for the answer where the two are told apart. */
  readonly promptTokens: number | undefined
}

const count = String.raw`(\d[\d,]*\d)(k\b)?`

/** The window's number, in the words of servers; the first that matches counts. */
const windowWords = [
  // Anthropic: "188240 + 21333 > 200000", "205123 tokens > 200000 maximum".
  `> ${count}`,
  `(?:max\\w*|limit|allowed|context (?:length|window|size)|n_ctx|最大长度)[^\\d]{0,40}${count}`,
  `${count} (?:maximum|limit)`,
].map((words) => new RegExp(words, 'i'))

const promptWords = [
  `\\(${count} (?:tokens )?(?:in|of) (?:your prompt|the messages|text input|the input)`,
  `${count} (?:\\+ \\d+|tokens) >`,
  `(?:resulted in|contains|request|count|got|given:|requested:?(?: about| a total of)?) \\(?${count}`,
  `(?:\\(length|current length is) ${count}`,
].map((words) => new RegExp(words, 'i'))

/** Less is no context window, but the number of something else. */
const leastWindow = 512

/** Reads the numbers in what a provider says when a request is too long. */
export function overflowFacts(message: string): OverflowFacts {
  return { windowTokens: firstCount(windowWords, message), promptTokens: firstCount(promptWords, message) }
}

function firstCount(words: readonly RegExp[], message: string): number | undefined {
  for (const pattern of words) {
    const [, digits = '', kilo] = pattern.exec(message) ?? []
    const value = Number(digits.replaceAll(',', '')) * (kilo ? 1024 : 1)
    if (value >= leastWindow) return value
  }
  return undefined
}
