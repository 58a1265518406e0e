/** Less than this is no room for an answer. */
const leastTokens = 512

/** Kept free, since servers count a little differently from one call to the next. */
const spareTokens = 64

/**
 * How many tokens an answer may have, when a server refuses a request for asking for more: by the room that its input
 * leaves in the context window, by the model's limit, or by the credit that is left. Undefined when it says nothing of the
 * kind, or leaves too little.
 */
export function outputRoom(words: string): number | undefined {
  const room = beside(words) ?? number(limit.exec(words)?.groups)
  return room !== undefined && room >= leastTokens ? room : undefined
}

/** What the input leaves of the window. */
function beside(words: string): number | undefined {
  for (const pattern of windows) {
    const { window, input, asked, output } = pattern.exec(words)?.groups ?? {}
    if (window === undefined) continue
    const taken = input === undefined ? Number(asked) - Number(output) : Number(input)
    return Number(window) - taken - spareTokens
  }
  return undefined
}

const windows = [
  // Anthropic.
  /exceed context limit: (?<input>\d+) \+ \d+ > (?<window>\d+)/i,
  // OpenAI, OpenRouter and older vLLM: the sum, and what of it is for the answer.
  /maximum context length is (?<window>\d+) tokens\b.{0,40}requested (?:about )?(?<asked>\d+) tokens.{0,120}?\b(?<output>\d+) in the (?:completion|output)/is,
  // vLLM.
  /maximum context length is (?<window>\d+) tokens and your request has (?<input>\d+) input tokens/i,
]

const limit =
  /max_tokens: \d+ > (?<a>\d+)|at most (?<b>\d+) (?:completion|output) tokens|max_(?:completion_)?tokens\W+must be less than or equal to \W?(?<c>\d+)|available_tokens\W+(?<d>\d+)|can only afford (?<e>\d+)/i

function number(groups: Readonly<Record<string, string | undefined>> | undefined): number | undefined {
  const found = Object.values(groups ?? {}).find((one) => one !== undefined)
  return found === undefined ? undefined : Number(found)
}
