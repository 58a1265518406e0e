/**
 * Whether a value that was read from JSON has more than `most` lists and objects in each other. Reading knows no such
 * limit, but what walks through the value, writing it as JSON among others, runs out of stack at some thousands.
 */
export function isDeeperThan(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (most === 0) return true
  for (const one of Array.isArray(value) ? value : Object.values(value)) if (isDeeperThan(one, most - 1)) return true
  return false
}

/** How deep what comes from outside may be: several times what any program sends. */
export const mostDepth = 100
