/**
 * Most tokens that each family writes in one answer: upstream v0.9.0's table (2026-04-13), and for what it does not name
 * the maker's model page. The most specific beginning that matches counts.
 */
const limits: Readonly<Record<string, number>> = {
  'claude-opus-4-6': 128_000,
  'claude-sonnet-4-6': 64_000,
  'claude-opus-4-5': 64_000,
  'claude-sonnet-4-5': 64_000,
  'claude-haiku-4-5': 64_000,
  'claude-opus-4': 32_000,
  'claude-sonnet-4': 64_000,
  'claude-3-7': 64_000,
  'claude-3-5': 8_192,
  'claude-3': 4_096,
}

/** A model that is newer than the table writes at least this much. */
const unknownLimit = 64_000

export function outputLimit(model: string): number {
  const family = Object.keys(limits)
    .filter((name) => model.startsWith(name))
    .sort((a, b) => b.length - a.length)[0]
  return family === undefined ? unknownLimit : (limits[family] ?? unknownLimit)
}
