import type { Config } from '@hermes/core/config/schema.ts'

/** How long people take between two files, ms. */
const natural = { min_ms: 800, max_ms: 2_500 }

/** When each of some files goes out, ms since 1970, with pauses between them as `human_delay` wants; empty: at once. */
export function pausedTimes(count: number, settings: Config['human_delay'], now: number): readonly number[] {
  if (settings.mode === 'off') return []
  const { min_ms: least, max_ms: most } = settings.mode === 'natural' ? natural : settings
  let at = now
  return Array.from({ length: count }, () => (at += least + Math.random() * Math.max(0, most - least)))
}
