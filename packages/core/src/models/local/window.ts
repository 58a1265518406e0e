import type { GgufHeader } from './gguf-header.ts'

/** Conversations whose attention is kept side by side: the person's, and that of a side task such as its title. */
export const conversations = 2

/** The window of a model whose file does not tell. */
const untold = 4096

/** The longest window that is taken without being asked for: longer ones cost gigabytes. */
const usual = 32_768

/** The least that an agent can work with. */
const least = 2048

/** Attention may take this part of the machine's memory. */
const memoryShare = 1 / 4

/** What a token's attention takes where the file does not tell: that of a model with 8 billion weights. */
const usualBytesPerToken = 128 * 1024

const step = 256

/**
 * The window that a model is loaded with, tokens: what it was trained for, as far as memory allows. One that a person has
 * set is taken as it is, up to what the model was trained for.
 */
export function windowFor(
  { contextLength = untold, bytesPerToken = usualBytesPerToken }: Pick<GgufHeader, 'contextLength' | 'bytesPerToken'>,
  { configured, memoryBytes }: { readonly configured: number | undefined; readonly memoryBytes: number },
): number {
  if (configured !== undefined) return Math.min(configured, contextLength)
  const affordable = (memoryBytes * memoryShare) / (bytesPerToken * conversations)
  const window = Math.max(least, Math.floor(Math.min(usual, affordable) / step) * step)
  return Math.min(window, contextLength)
}
