/** Lets so many run at once; the others wait in their order. */
export function createSlots(most: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let busy = 0
  return async (run) => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else busy++
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else busy--
    }
  }
}
