import type { LlamaContext, LlamaSequence, Token } from './binding.ts'
import { conversations } from './window.ts'

/** The conversation that goes on, and what of the prompt it need not read again. */
export interface Continued {
  readonly sequence: LlamaSequence
  /** The tokens that are left to read; at least one. */
  readonly rest: readonly Token[]
  /** How many of the prompt's tokens were kept. */
  readonly kept: number
}

/** What a model keeps of the conversations that it last had, so that a next turn reads only what is new. */
export interface Conversations {
  /** The kept conversation that begins as the prompt does, where that keeps more than it loses; else the oldest one. */
  continue(tokens: readonly Token[]): Promise<Continued>
}

/** Recurrent models can only go back to a point that was kept. */
const mostCheckpoints = 4

export function openConversations(context: LlamaContext): Conversations {
  /** The one that was used last comes first. */
  let sequences: readonly LlamaSequence[] = Array.from({ length: conversations }, () =>
    context.getSequence({ checkpoints: { max: mostCheckpoints } }),
  )
  const pick = (tokens: readonly Token[]): LlamaSequence | undefined => {
    const shared = sequences
      .map((sequence) => ({ sequence, common: sequence.compareContextTokens(tokens).firstDifferentIndex }))
      .filter(({ sequence, common }) => common > 0 && common >= sequence.nextTokenIndex - common)
      .sort((a, b) => b.common - a.common)
    return shared[0]?.sequence ?? sequences.findLast(({ nextTokenIndex }) => nextTokenIndex === 0) ?? sequences.at(-1)
  }
  return {
    continue: async (tokens) => {
      const sequence = pick(tokens)
      if (!sequence) throw new Error('A model was opened without a conversation.')
      sequences = [sequence, ...sequences.filter((other) => other !== sequence)]
      // The last token is read in any case: the answer's first one comes of it.
      await sequence.adaptStateToTokens(tokens.slice(0, -1), false)
      const kept = sequence.nextTokenIndex
      return { sequence, rest: tokens.slice(kept), kept }
    },
  }
}
