/** What `work` comes to, or the signal's reason if that is first; the work itself goes on, and nobody hears of it. */
export async function within<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(signal.reason)
  work.catch(() => undefined)
  signal.addEventListener('abort', abort, { once: true })
  try {
    if (signal.aborted) abort()
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
