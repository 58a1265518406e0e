/** Parts of a text that is too long: most of its beginning, less of its end (upstream's). */
const headPart = 0.7
const tailPart = 0.2

/** A text of at most about `maxChars` characters: of a longer one beginning and end, with what is left out between them. */
export function shorten(
  text: string,
  { maxChars, name }: { readonly maxChars: number; readonly name: string },
): string {
  if (text.length <= maxChars) return text
  const head = text.slice(0, maxChars * headPart).toWellFormed()
  const tail = text.slice(-maxChars * tailPart).toWellFormed()
  return `${head}\n\n[... ${name} has ${text.length} characters; its middle is left out (kept: ${head.length} + ${tail.length}) ...]\n\n${tail}`
}
