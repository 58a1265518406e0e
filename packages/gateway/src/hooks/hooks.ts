import type { AgentContext } from '@hermes/core/agent/context.ts'
import { isFor, readHooks } from './read-hooks.ts'

/** Events that wait for handlers; more are dropped. */
const maxWaiting = 200

/** Tells the person's own code what happens; nothing waits for it, and no failure of it is felt. */
export interface Hooks extends AsyncDisposable {
  emit(event: string, context: Readonly<Record<string, unknown>>): void
  /** Resolves when all that was told is dealt with. */
  idle(): Promise<void>
}

type HookAgent = Pick<AgentContext, 'home' | 'log' | 'environment'>

/** Reads the hooks once; without any nothing else is done. Events are told in their order, one after the other. */
export async function openHooks(agent: HookAgent): Promise<Hooks> {
  const { log } = agent
  const hooks = await readHooks(agent)
  const ending = new AbortController()
  let waiting = 0
  let running: Promise<void> = Promise.resolve()

  async function tell(event: string, context: Readonly<Record<string, unknown>>): Promise<void> {
    const { runHook } = await import('./run-hook.ts')
    for (const hook of hooks.filter((one) => isFor(one, event))) {
      try {
        await runHook(hook, { event, context }, agent, ending.signal)
      } catch (error) {
        if (ending.signal.aborted) return
        log.warn({ hook: hook.name, event, error: String(error) }, 'a hook failed')
      }
    }
  }
  return {
    emit(event, context) {
      if (ending.signal.aborted || !hooks.some((hook) => isFor(hook, event))) return
      if (waiting >= maxWaiting) {
        log.warn({ event }, 'hooks are too slow; an event is not told')
        return
      }
      waiting++
      running = running.then(() => tell(event, context)).finally(() => waiting--)
    },
    idle: () => running,
    async [Symbol.asyncDispose]() {
      ending.abort(new DOMException('The gateway stops.', 'AbortError'))
      await running
    },
  }
}
