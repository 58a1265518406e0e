import type { LlamaModel, Token } from './binding.ts'

// Marks such as `<|im_end|>` steer a model when they are its template's. The same letters in a message, a file or a
// tool's result are text: read as marks, whoever wrote them could speak in another's name.

const opening = '\uE000'
const closing = '\uE001'

/** What may be a mark of some model; whether it is one of this model, its vocabulary says. */
const candidates = /<[^<>\s]{1,60}>|\[\/?[A-Z_]{2,40}\]/g

/** Tells a prompt's marks from text that looks like them. One for each prompt. */
export interface PromptMarks {
  /** Text that no mark can come from. */
  guard(text: string): string
  /** The tokens of a prompt that was made of guarded texts. */
  tokens(prompt: string): Token[]
}

export function createPromptMarks(model: LlamaModel): PromptMarks {
  const found: string[] = []
  const isMark = new Map<string, boolean>()
  const stands = (mark: string): string => {
    const known = isMark.get(mark) ?? differs(model, mark)
    isMark.set(mark, known)
    if (!known) return mark
    const at = found.indexOf(mark)
    return `${opening}${at < 0 ? found.push(mark) - 1 : at}${closing}`
  }
  return {
    guard: (text) => text.replaceAll(candidates, stands),
    tokens: (prompt) => {
      const tokens = parts(prompt, found).flatMap(({ text, isPlain }, at) =>
        model.tokenize(text, !isPlain, at === 0 ? undefined : 'trimLeadingSpace'),
      )
      const { bos, shouldPrependBosToken } = model.tokens
      return shouldPrependBosToken && bos !== null && tokens[0] !== bos ? [bos, ...tokens] : tokens
    },
  }
}

/** Whether it is a token of its own that plain text cannot be. */
function differs(model: LlamaModel, mark: string): boolean {
  const asMark = model.tokenize(mark, true)
  const asText = model.tokenize(mark, false)
  return asMark.length !== asText.length || asMark.some((token, at) => token !== asText[at])
}

interface Part {
  readonly text: string
  readonly isPlain: boolean
}

function parts(prompt: string, found: readonly string[]): readonly Part[] {
  const pieces = prompt.split(/\uE000(\d{1,6})\uE001/)
  return pieces
    .map((piece, at) =>
      at % 2 === 0 ? { text: piece, isPlain: false } : { text: found[Number(piece)] ?? '', isPlain: true },
    )
    .filter(({ text }) => text !== '')
}
