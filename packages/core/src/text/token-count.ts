import type { Usage } from '../models/model.ts'

/** `980`, `12.3k`, `128k`, `1.2M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  if (count < 999_500) return `${short(count / 1000)}k`
  return `${short(count / 1_000_000)}M`
}

/** Everything that was sent to the model, cached or not. */
export function sentTokens(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
}

/** `12.3k of 128k (10%)`. */
export function formatContext(tokens: number, length: number): string {
  return `${formatCount(tokens)} of ${formatCount(length)} (${Math.round((100 * tokens) / Math.max(1, length))}%)`
}

function short(value: number): string {
  return value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0)
}
