import type { Clock } from '../agent/clock.ts'

const windowMs = 10_000
const mostPerWindow = 8
/** Matches that overrun the limit for longer than this switch the watch off. */
const overloadMs = 45_000
const maxLines = 20
const maxChars = 2000
const longestLine = 10_000

export type WatchFinding =
  | { readonly type: 'match'; readonly pattern: string; readonly output: string; readonly suppressed: number }
  | { readonly type: 'disabled'; readonly suppressed: number }

/** Looks for lines that hold one of some texts, in output that comes in pieces. Tells of at most 8 in 10 seconds. */
export interface OutputWatch {
  push(text: string): WatchFinding | undefined
}

export function createOutputWatch(patterns: readonly string[], clock: Clock): OutputWatch {
  const lines = createLineReader()
  const limit = createRateLimit(clock)
  return {
    push(text) {
      const found = lines.push(text, (line) => patterns.find((pattern) => line.includes(pattern)))
      const [first] = found
      if (!first) return undefined
      const admitted = limit.admit()
      if (!admitted.ok) return admitted.disabled ? { type: 'disabled', suppressed: admitted.suppressed } : undefined
      const output = found.slice(0, maxLines).map(({ line }) => line)
      return {
        type: 'match',
        pattern: first.pattern,
        output: output.join('\n').slice(0, maxChars),
        suppressed: admitted.suppressed,
      }
    },
  }
}

/** Gives each line once, also the last one that has no end yet (a prompt), as soon as it matches. */
function createLineReader() {
  let unfinished = ''
  let isUnfinishedTold = false
  return {
    push(text: string, match: (line: string) => string | undefined) {
      const lines = (unfinished + text).split('\n')
      const found: { readonly line: string; readonly pattern: string }[] = []
      for (const [index, line] of lines.entries()) {
        if (index > 0) isUnfinishedTold = false
        const pattern = isUnfinishedTold ? undefined : match(line)
        if (pattern === undefined) continue
        found.push({ line, pattern })
        isUnfinishedTold = true
      }
      unfinished = (lines.at(-1) ?? '').slice(-longestLine)
      return found
    },
  }
}

function createRateLimit(clock: Clock) {
  let windowStart = -Infinity
  let inWindow = 0
  let isWindowOverrun = false
  let overrunSince: number | undefined
  let suppressed = 0
  let disabled = false
  return {
    admit(): { readonly ok: boolean; readonly disabled: boolean; readonly suppressed: number } {
      if (disabled) return { ok: false, disabled: false, suppressed }
      const now = clock.now()
      if (now - windowStart >= windowMs) {
        if (!isWindowOverrun) overrunSince = undefined
        windowStart = now
        inWindow = 0
        isWindowOverrun = false
      }
      if (inWindow < mostPerWindow) {
        inWindow++
        const before = suppressed
        suppressed = 0
        return { ok: true, disabled: false, suppressed: before }
      }
      suppressed++
      isWindowOverrun = true
      overrunSince ??= now
      disabled = now - overrunSince > overloadMs
      return { ok: false, disabled, suppressed }
    },
  }
}
