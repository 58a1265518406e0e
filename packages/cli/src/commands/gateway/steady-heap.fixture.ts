// Makes and drops much, as turns do, and prints how large the space for new objects is: at first, after little was made, and
// after much.
import { setTimeout as wait } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { createV8Flags } from '../../code/v8-flags.ts'
import { steadyHeap } from './steady-heap.ts'

const kept: unknown[] = []
let made = 0

/** About a megabyte; the last of them is always in use. */
function make(): void {
  for (let n = 0; n < 4_000; n++) kept[made++ % 4_000] = { n, parts: [n, made], name: `${made}` }
}

function halfOfSpace(): number {
  const { space_used_size: used = 0, space_available_size: available = 0 } =
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space') ?? {}
  return used + available
}

using _heap = steadyHeap(createV8Flags())
const sizes = [halfOfSpace()]
for (let round = 0; round < 8; round++) {
  make()
  await wait(200)
}
sizes.push(halfOfSpace())
for (let round = 0; round < 1_000; round++) {
  make()
  if (round % 5 === 0) await wait(1)
}
sizes.push(halfOfSpace())
process.stdout.write(JSON.stringify(sizes))
