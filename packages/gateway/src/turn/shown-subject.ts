/**
 * What would be done, within a length: of a longer one the beginning and the end, since a command's harm may stand in
 * either, and how much is left out between them.
 */
export function shownSubject(subject: string, maxChars: number): string {
  if (subject.length <= maxChars) return subject
  const [begin, end] = [Math.floor(maxChars * 0.6), Math.floor(maxChars * 0.3)]
  const left = subject.length - begin - end
  return [subject.slice(0, begin), `… (${left} characters are not shown) …`, subject.slice(-end)]
    .map((part) => part.toWellFormed())
    .join('\n')
}
