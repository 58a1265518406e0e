import type { PlatformRunner } from '../platforms/platform-runner.ts'

/** Longest that a turn waits for its platform, ms. */
const mostMs = 5_000

/**
 * Waits a moment for the first try to connect, so that a turn that goes on after a restart is seen in its chat. Resolves
 * also when that takes long, or `signal` aborts: the answer is queued all the same.
 */
export async function untilTried(
  runner: Promise<Pick<PlatformRunner, 'tried'> | undefined>,
  signal: AbortSignal,
): Promise<void> {
  const given = AbortSignal.any([signal, AbortSignal.timeout(mostMs)])
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = () => resolve()
  given.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([promise, runner.then((one) => one?.tried)])
  } finally {
    given.removeEventListener('abort', stop)
  }
}
