import type { AgentContext } from '../agent/context.ts'
import type { CdpConnection } from './cdp/connection.ts'

/** What a way to a browser is opened with. */
export type BackendContext = Pick<AgentContext, 'home' | 'config' | 'environment' | 'log'> & {
  /** The address of a browser that the person chose for this session (`/browser connect`). */
  readonly cdpUrl: string | undefined
}

/** One way to get a browser. */
export interface BrowserBackend {
  /** Registry key; what `browser.cloud_provider` names. */
  readonly name: string
  /** For people, e.g. `Browserbase`. */
  readonly label: string
  /** Starts a browser, or a session with one. Throws `BrowserError`; when `signal` aborts, its reason. */
  open(context: BackendContext, signal: AbortSignal): Promise<OpenBrowser>
}

/** A browser of one session. Disposing of it ends it, whatever state it is in; it begins before the first `await`. */
export interface OpenBrowser extends AsyncDisposable {
  readonly connection: CdpConnection
  /**
   * Who holds its requests to the network rules. `itself`: nothing leaves it that was not checked. `all`: whoever uses it
   * stops every request of its pages; `documents`: pages and frames alone, since what else they load is far away from
   * this machine.
   */
  readonly checkedBy: 'itself' | 'all' | 'documents'
  /** Why the last request to this host (and port) was refused, where it checks by itself. */
  refusal?(host: string): string | undefined
  /** Files go to and come from this machine's disk: the folder that is shared with it, and dies with it. */
  readonly filesDir?: string
  /** The browser is used by a person too, so that nothing but our own pages may be closed or set. */
  readonly isShared?: boolean
  /** What the service did against being taken for a robot. */
  readonly stealthFeatures?: readonly string[]
  readonly stealthWarning?: string
}
