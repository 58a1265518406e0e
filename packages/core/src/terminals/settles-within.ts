/** Waits for a promise; false when `timeoutMs` is over first. Rejects with the reason when `signal` aborts. */
export async function settlesWithin(
  promise: Promise<unknown>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  signal?.throwIfAborted()
  const other = Promise.withResolvers<false>()
  const timer = setTimeout(() => other.resolve(false), timeoutMs)
  const abort = () => other.reject(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise.then(() => true), other.promise])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
