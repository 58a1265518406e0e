import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Courier } from '../deliver/courier.ts'

/** Something else that the gateway's process keeps running beside the platforms: a server, a scheduler. */
export interface GatewayService {
  /** As in `gateway_state.json`, e.g. `api_server`. */
  readonly name: string
  /** For people, e.g. `the API server`. */
  readonly label: string
  /** No reason to run a gateway for it alone. */
  readonly isCompanion?: boolean
  /** Rejects with a message that says what to do where it cannot run. */
  start(agent: AgentContext, courier: Courier): Promise<RunningService>
}

/** Disposing of it ends what runs in it. */
export interface RunningService extends AsyncDisposable {
  /** Where it is to be found, e.g. a URL. */
  readonly place?: string
  /** Turns that run in it now. */
  readonly busy: number
  /** Takes no new turns and waits for those that run, at most so long. */
  drain(timeoutMs: number): Promise<void>
}
