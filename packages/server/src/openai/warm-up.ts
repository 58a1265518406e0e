import type { AgentContext } from '@hermes/core/agent/context.ts'
import { requestSchemas } from '@hermes/core/tools/tool-source.ts'
import { leafToolsets } from '@hermes/core/tools/toolsets.ts'
import { rehearse } from './rehearsal.ts'
import { toolsetsOf } from './turns/api-turn.ts'

export interface WarmUp extends Disposable {
  /** Resolves when it is over, however it went. */
  readonly done: Promise<void>
}

/** When a server that listens is taken to be idle, ms. */
const idleMs = 50

/** Whether there is one is asked of others, which is left to the first turn. */
const askingToolset = 'vision'

/**
 * Does what the first request would wait for, soon after the server listens: tools are measured, the log of the database
 * is begun, and a request is rehearsed, so that code is loaded and compiled and files that prompts are made of are read.
 * Nothing is stored, and nobody is asked. Disposing of it ends it.
 */
export function warmUp(agent: AgentContext): WarmUp {
  const { promise: done, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => void run().finally(resolve), idleMs).unref()
  const ending = new AbortController()

  async function run(): Promise<void> {
    for (const step of steps(agent, ending.signal)) {
      // A request that comes meanwhile waits for one step at most.
      await new Promise((resolve) => setImmediate(resolve))
      if (ending.signal.aborted) return
      try {
        await step()
      } catch (error) {
        if (!ending.signal.aborted) agent.log.debug({ error: String(error) }, 'the server was not warmed up')
      }
    }
  }

  return {
    done,
    [Symbol.dispose]() {
      ending.abort()
      clearTimeout(timer)
      resolve()
    },
  }
}

const warmId = 'api-warm-up'

/** Each takes some 10 ms; what runs for the first few times takes twice as long as later. */
const rehearsals = 3

function steps(agent: AgentContext, signal: AbortSignal): readonly (() => unknown)[] {
  const scope = () => agent.scopes.get(warmId)
  const toolsets = leafToolsets(toolsetsOf(agent)).leaves.filter((name) => name !== askingToolset)
  const tools = () => agent.tools.load(toolsets)
  return [
    tools,
    async () => scope().contextState.meter.request({ model: '', messages: [], tools: requestSchemas(await tools()) }),
    () => agent.scopes.close(warmId),
    () => agent.sessions.rehearse(),
    // What this and the start have dropped V8 looks for by itself some 10 s later; looked for here, it makes the first
    // request half as long again.
    () => rehearse(agent, { times: rehearsals, toolsets }, signal),
  ]
}
