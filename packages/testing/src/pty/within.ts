/**
 * Waits for a moment. `watch` is given a callback to call when it has come and returns how to stop watching; when
 * `timeoutMs` pass without it, fails with what `describe` says then.
 */
export async function within(
  watch: (seen: () => void) => () => unknown,
  timeoutMs: number,
  describe: () => string,
): Promise<void> {
  let stop: (() => unknown) | undefined
  let timer: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new Error(`After ${timeoutMs} ms: ${describe()}`)), timeoutMs)
      stop = watch(resolve)
    })
  } finally {
    clearTimeout(timer)
    stop?.()
  }
}
