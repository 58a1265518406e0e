/** From where on a text is encoded here, characters. */
const longChars = 64_000

/** A text to write. Of a string that does not go at once Node holds three bytes a character, so long ones are encoded. */
export function chunkOf(text: string): string | Buffer {
  return text.length > longChars ? Buffer.from(text) : text
}
