import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Longest that bringing the bundled skills may take, ms. */
const mostMs = 60_000

/** Resolves when the gateway has brought the bundled skills into a new home, which it does in the background. */
export async function skillsThere(home: { path(...parts: string[]): string }): Promise<void> {
  const signal = AbortSignal.timeout(mostMs)
  while (!existsSync(home.path('cache', 'bundled-skills.json'))) await sleep(20, undefined, { signal })
}
