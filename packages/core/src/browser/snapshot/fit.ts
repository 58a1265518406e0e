/** Longest snapshot that the model is given as it is, characters. */
export const maxSnapshotChars = 8_000

/** Cuts a snapshot at the end of a line, and says how to see the rest. */
export function cutSnapshot(text: string): string {
  if (text.length <= maxSnapshotChars) return text
  const end = text.lastIndexOf('\n', maxSnapshotChars)
  const kept = text.slice(0, end > 0 ? end : maxSnapshotChars).toWellFormed()
  const left = text.slice(kept.length).split('\n').filter(Boolean).length
  return `${kept}\n[${left} more lines: browser_snapshot with full=true shows all of them]`
}
