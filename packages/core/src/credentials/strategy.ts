/** How the keys of one provider are taken in turn. */
export type PoolStrategy = 'fill_first' | 'round_robin' | 'least_used' | 'random'

/** One key that may be used now. */
export interface Candidate {
  readonly id: string
  /** Uses so far, this process's unsaved ones included. */
  readonly requestCount: number
  /** Grows with every use in this process; 0 for a key that it has not used. */
  readonly lastUse: number
}

/** Picks one of the keys, which come in their order of priority and none of which is cooling. */
export function pick<Key extends Candidate>(
  strategy: PoolStrategy,
  candidates: readonly Key[],
  random: () => number,
): Key | undefined {
  if (strategy === 'round_robin') return least(candidates, (key) => key.lastUse)
  if (strategy === 'least_used') return least(candidates, (key) => key.requestCount)
  if (strategy === 'fill_first') return candidates[0]
  return candidates[Math.min(candidates.length - 1, Math.floor(random() * candidates.length))]
}

/** The first of those with the smallest value. */
function least<Key>(keys: readonly Key[], valueOf: (key: Key) => number): Key | undefined {
  return keys.reduce<Key | undefined>((best, key) => (best && valueOf(best) <= valueOf(key) ? best : key), undefined)
}
