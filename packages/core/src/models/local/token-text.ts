import type { LlamaModel, Token } from './binding.ts'

/** Tokens before a new one that its text may depend on. */
const looksBack = 8

/** A letter is at most this many tokens. */
const longestLetter = 8

/** Turns tokens into text as they come. Letters that several tokens make up are given when they are whole. */
export function createTokenText(model: Pick<LlamaModel, 'detokenize'>, before: readonly Token[]) {
  let last = before.slice(-looksBack)
  let pending: Token[] = []
  const give = (): string => {
    const text = model.detokenize(pending, true, last)
    last = [...last, ...pending].slice(-looksBack)
    pending = []
    return text
  }
  return {
    add: (token: Token): string => {
      pending.push(token)
      const isBroken = model.detokenize(pending, true, last).endsWith('\uFFFD')
      return isBroken && pending.length < longestLetter ? '' : give()
    },
    end: (): string => (pending.length > 0 ? give() : ''),
  }
}
