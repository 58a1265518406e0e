const heading = '\n\n[Subdirectory context discovered: '

/** The notes of a folder as they follow the result of a call. */
export function hintText(path: string, notes: string): string {
  return `${heading}${path}]\n${notes}`
}

/** A result without the notes that follow it. */
export function withoutHints(content: string): string {
  const start = content.indexOf(heading)
  return start < 0 ? content : content.slice(0, start)
}
