import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * `minor`: young objects alone, about a millisecond. `major`: all of them, some 20 ms for a heap of 15 MB; as a last resort
 * twice, and the system gets back what is free then.
 */
export type CollectGarbage = (options: {
  readonly type: 'minor' | 'major'
  readonly flavor?: 'regular' | 'last-resort'
}) => void

/** Frees what was dropped a moment ago, where V8 would let it lie. */
export function garbageCollector(): CollectGarbage {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as CollectGarbage
  setFlagsFromString('--no-expose-gc')
  return collect
}
