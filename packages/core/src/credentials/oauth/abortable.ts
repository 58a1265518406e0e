/** `promise`, or the reason of `signal` if that comes first; the promise itself goes on. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
