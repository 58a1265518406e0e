/** Waits at most so long for something that cannot be aborted itself; then `giveUp` ends it. */
export async function limited<T>(
  work: Promise<T>,
  { ms, signal, giveUp }: { readonly ms: number; readonly signal: AbortSignal; readonly giveUp: () => void },
): Promise<T> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  const over = Promise.withResolvers<never>()
  const end = () => over.reject(limit.reason)
  if (limit.aborted) end()
  else limit.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, over.promise])
  } catch (error) {
    if (limit.aborted) {
      giveUp()
      // Whatever becomes of it now, nobody waits for it.
      work.catch(() => undefined)
    }
    throw error
  } finally {
    limit.removeEventListener('abort', end)
    over.promise.catch(() => undefined)
  }
}
