import { garbageCollector as collector } from '@hermes/core/storage/collect-garbage.ts'

/** Frees what was dropped a moment ago. */
export type CollectGarbage = () => void

/**
 * A frame of megabytes leaves twice its size behind, which V8, to whom bytes outside its heap weigh little, would let pile up
 * to some 64 MB. A collection of the young objects alone takes about a millisecond and gives the memory back.
 */
export function garbageCollector(): CollectGarbage {
  const collect = collector()
  return () => collect({ type: 'minor' })
}
