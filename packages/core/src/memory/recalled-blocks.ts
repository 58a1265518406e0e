import type { TranscriptMessage } from '../models/transcript.ts'

/** Most messages whose blocks are kept: a conversation is compacted long before. */
const maxBlocks = 1_000

/**
 * What was recalled for the messages of a session. It is never stored, but goes with its message in every request of the
 * process, so that each request begins with the whole one before it and provider caches hold.
 */
export class RecalledBlocks {
  readonly #blocks = new Map<number, { readonly content: string; readonly block: string }>()

  get size(): number {
    return this.#blocks.size
  }

  /** `at`: where the message is in the stored history. */
  add(at: number, { content }: TranscriptMessage, block: string): void {
    this.#blocks.set(at, { content, block })
    for (const oldest of this.#blocks.keys()) {
      if (this.#blocks.size <= maxBlocks) break
      this.#blocks.delete(oldest)
    }
  }

  /** The stored history as the model gets it. A message that is not the one that was recalled for stays as it is. */
  over(history: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
    if (this.#blocks.size === 0) return history
    return history.map((message, at) => {
      const found = this.#blocks.get(at)
      if (!found || message.role !== 'user' || message.content !== found.content) return message
      return { ...message, content: `${message.content}\n\n${found.block}` }
    })
  }

  /** The history was made shorter: only the message being answered keeps its block, wherever it is now. */
  moveTo(history: readonly TranscriptMessage[]): void {
    const last = [...this.#blocks.entries()].at(-1)?.[1]
    this.#blocks.clear()
    const at = history.findLastIndex(({ role, content }) => role === 'user' && content === last?.content)
    const message = history[at]
    if (last && message) this.add(at, message, last.block)
  }
}
