/** Bytes of a token, on average. Bytes, not characters: a Chinese character has three of them and is most of a token. */
const bytesPerToken = 4

/**
 * About how many tokens a text is, without a tokenizer. Measured against o200k: within 10 % for English and code, up to
 * 15 % too high for Chinese and Japanese, some 35 % too high for German, up to 40 % too low for dense JSON and hashes.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}
