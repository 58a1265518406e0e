import type { ToolContext } from '../tools/tool.ts'
import type { Deadline } from './deadline.ts'

/** A call that a server is working on. */
export interface ActiveCall {
  readonly context: ToolContext
  readonly deadline: Deadline
}

/**
 * The calls that one server works on, of all sessions: what the server asks meanwhile is asked for one of them. The
 * protocol does not say which.
 */
export class ActiveCalls {
  readonly #calls = new Set<ActiveCall>()
  #workspace: string | undefined

  /** Runs `work` as a call. */
  async during<Value>(call: ActiveCall, work: () => Promise<Value>): Promise<Value> {
    this.#calls.add(call)
    this.#workspace = call.context.session.workspace()
    try {
      return await work()
    } finally {
      this.#calls.delete(call)
    }
  }

  /** The call begun last, whose model may be asked; undefined when none runs. */
  latest(): ActiveCall | undefined {
    return [...this.#calls].at(-1)
  }

  /** As `latest`; undefined where calls of several sessions run, so that nobody is asked for another. */
  ofOneSession(): ActiveCall | undefined {
    const sessions = new Set([...this.#calls].map(({ context }) => context.session.sessionId))
    return sessions.size === 1 ? this.latest() : undefined
  }

  /** The folder that the session of the last call began in. */
  workspace(): string | undefined {
    return this.#workspace
  }
}
