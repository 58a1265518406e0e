import type { Pheby } from './pheby.ts'
import { sourceOf } from './pheby.ts'
import type { Run, RunStatus } from './run.ts'

/** How often runs are looked after that may have lost sight of their turn, ms. */
const lookMs = 2_000

const statuses: Readonly<Record<string, RunStatus>> = { answered: 'completed', refused: 'cancelled', failed: 'failed' }

/**
 * Takes up the runs that the last process has left, and keeps every run from going on for ever: one whose answer was all
 * there before the restart, whose file could not be sent, whose command said nothing, ends by what the gateway's store says
 * of it. Resolves when the first look is over.
 */
export async function watchRuns(pheby: Pheby): Promise<Disposable> {
  const { runs, storedRuns, host } = pheby
  for (const stored of await storedRuns.open()) {
    if (!runs.all().some(({ runId }) => runId === stored.runId)) runs.resume(stored)
  }
  await lookAfter(pheby)
  let isLooking = false
  const timer = setInterval(() => {
    if (isLooking || runs.all().length === 0) return
    isLooking = true
    lookAfter(pheby)
      .catch((error: unknown) => host.log.error({ error: String(error) }, 'runs cannot be looked after'))
      .finally(() => {
        isLooking = false
      })
  }, lookMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

async function lookAfter({ runs, host }: Pheby): Promise<void> {
  for (const run of runs.all()) {
    // A turn that runs tells by itself how it ends.
    if (!run.isAccepted || (run.hasBegun && !run.outcome)) continue
    const { state, toSend } = await host.outlook(sourceOf(run.conversationId), run.eventId)
    if (run.isOver || state === 'open') continue
    if (state === 'unknown')
      runs.finish(run, { status: 'failed', notice: 'The message was lost before it was stored.' })
    else conclude(run, { status: statuses[state] ?? 'failed', toSend }, runs)
  }
}

function conclude(
  run: Run,
  { status, toSend }: { readonly status: RunStatus; readonly toSend: number },
  runs: Pheby['runs'],
): void {
  run.outcome ??= { status }
  if (toSend === 0) runs.finish(run, run.outcome)
  else run.expected ??= run.delivered + toSend
}
