/** The beginning of a text, in one line of at most 80 characters. */
export function oneLine(text: string): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  return flat.length > 80 ? `${flat.slice(0, 79)}…`.toWellFormed() : flat
}
