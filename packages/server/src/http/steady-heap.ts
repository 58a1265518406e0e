import { setFlagsFromString } from 'node:v8'

/**
 * Keeps the memory of a process that serves many requests near what they need. V8 would let the space for new objects grow
 * to 48 MB where much is made and dropped, and the one for old objects to a multiple of what is in use before it looks:
 * with the first no larger than the start has made it, and the second looked through sooner, a server stays at about half
 * the memory for a few percent of its time. A space that small is looked through by one thread: to wake others for it takes
 * longer than the work. Holds for the whole process.
 */
export function keepHeapSteady(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--heap-growing-percent=60')
}
