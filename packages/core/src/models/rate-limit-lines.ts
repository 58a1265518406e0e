import type { KeyLimits, RateLimit } from './rate-limits.ts'
import { duration } from '../text/duration.ts'
import { formatCount } from '../text/token-count.ts'

/** Keys whose limits are shown. */
const mostKeys = 4

/** From here on a limit is pointed out. */
const nearlyUsed = 0.8

const barCells = 20

/** What is left of the limits of the keys that were used last: a line for each key, and one for each of its limits. */
export function rateLimitLines(told: readonly KeyLimits[], nowMs: number): readonly string[] {
  return told.slice(0, mostKeys).flatMap(({ provider, key, toldAtMs, limits }) => {
    const whose = key === undefined ? provider : `${provider} (${key})`
    const width = Math.max(...limits.map(({ name }) => nameOf(name).length))
    const ago = nowMs - toldAtMs < 1000 ? '' : `, as told ${duration(nowMs - toldAtMs)} ago`
    return [`Limits of ${whose}${ago}:`, ...limits.map((limit) => `  ${limitLine(limit, width, nowMs)}`)]
  })
}

function limitLine({ name, used, limit, remaining, resetsAtMs }: RateLimit, width: number, nowMs: number): string {
  const isOver = resetsAtMs !== undefined && resetsAtMs <= nowMs
  const share = isOver ? 0 : used
  const notes = [
    `${Math.round(100 * share)}% used`,
    limit !== undefined &&
      remaining !== undefined &&
      `${formatCount(isOver ? limit : remaining)} of ${formatCount(limit)} left`,
    resetsAtMs !== undefined && (isOver ? 'reset since' : `resets in ${duration(resetsAtMs - nowMs)}`),
    share >= nearlyUsed && 'nearly used up',
  ]
  return `${nameOf(name).padEnd(width)}  ${bar(share)}  ${notes.filter(Boolean).join(' · ')}`
}

function bar(share: number): string {
  const full = Math.round(barCells * share)
  return '█'.repeat(full) + '░'.repeat(barCells - full)
}

/** `requests-1h` is `requests, 1h`; `unified-5h`, of a subscription, is `5h`. */
function nameOf(name: string): string {
  const [, what, span] = /^(.*?)-?(\d+[mhd])?$/.exec(name) ?? [name, name]
  const words = what === 'unified' ? [] : [what?.replaceAll('-', ' ')]
  return [...words, span].filter(Boolean).join(', ') || name
}
