import type { LoadedModel, ModelPlan } from './loaded-model.ts'
import { orAborted } from './or-aborted.ts'
import { createTurnQueue } from './turn-queue.ts'

/** Calls that may wait for the model. */
const mostWaiting = 16

/** How long a model that nobody uses stays in memory. */
const usualIdleMs = 10 * 60_000

export interface ModelSlotOptions {
  readonly load: (plan: ModelPlan, signal: AbortSignal) => Promise<LoadedModel>
  readonly idleMs?: number
}

/** A model, for as long as one call has it. */
export interface Held {
  readonly loaded: LoadedModel
  /** Given what must be over before the next call may have it; what is given later comes after what was given before. */
  readonly goesOn: (work: Promise<unknown>) => void
  readonly release: () => void
}

/** The one place for a model in memory: another model takes its place, and when idle it is empty. */
export interface ModelSlot extends AsyncDisposable {
  /** Waits for the calls before this one, and loads the model where it is not there. Throws `ModelError`. */
  hold(plan: ModelPlan, signal: AbortSignal): Promise<Held>
}

export function createModelSlot({ load, idleMs = usualIdleMs }: ModelSlotOptions): ModelSlot {
  let loaded: LoadedModel | undefined
  let idle: NodeJS.Timeout | undefined
  let isClosed = false
  /** What goes on besides calls: it ends by itself. */
  let background: Promise<unknown> = Promise.resolve()
  const empty = async (): Promise<void> => {
    const old = loaded
    loaded = undefined
    await old?.[Symbol.asyncDispose]()
  }
  const queue = createTurnQueue({
    most: mostWaiting,
    onIdle: () => {
      if (loaded && !isClosed) idle = setTimeout(freeWhenIdle, idleMs).unref()
    },
  })
  const freeWhenIdle = (): void => {
    // Through the queue, since a call may come while the memory is freed.
    if (queue.isIdle) background = queue.enter(new AbortController().signal).then((leave) => empty().finally(leave))
  }
  const present = async (plan: ModelPlan, signal: AbortSignal): Promise<LoadedModel> => {
    if (loaded && loaded.plan.path === plan.path && loaded.plan.window === plan.window) return loaded
    await empty()
    loaded = await load(plan, signal)
    return loaded
  }
  return {
    hold: async (plan, signal) => {
      const leave = await queue.enter(signal)
      clearTimeout(idle)
      let work: Promise<unknown> = Promise.resolve()
      const goesOn = (next: Promise<unknown>): void => {
        work = next
      }
      const release = (): void => {
        background = Promise.allSettled([work]).finally(leave)
      }
      try {
        if (isClosed) throw new Error('The models are closed.')
        const loading = present(plan, signal)
        goesOn(loading)
        return { loaded: await orAborted(loading, signal), goesOn, release }
      } catch (error) {
        release()
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      clearTimeout(idle)
      await background
      await empty()
    },
  }
}
