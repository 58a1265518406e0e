import { isAbsolute, resolve } from 'node:path'
import { createSessionBrowser } from '../browser/session-browser.ts'
import type { SessionBrowser } from '../browser/session-browser.ts'
import { createSessionCheckpoints } from '../checkpoints/session-checkpoints.ts'
import { createContextState } from '../context/context-state.ts'
import type { ContextState } from '../context/context-state.ts'
import { createSharedEstimates } from '../context/shared-estimates.ts'
import type { SharedEstimates } from '../context/shared-estimates.ts'
import { isFolder } from '../storage/if-allowed.ts'
import { createCommandAllowlist, type CommandAllowlist } from '../security/commands/allowlist.ts'
import { createProcessRecords, type ProcessRecords } from '../terminals/process-records.ts'
import { createProcessRegistry, type ProcessRegistry } from '../terminals/processes.ts'
import { openTerminal } from '../terminals/registry.ts'
import type { Terminal } from '../terminals/terminal.ts'
import { createFileReads } from '../tools/file-reads.ts'
import type { FileReads } from '../tools/file-reads.ts'
import type { TodoItem } from '../tools/todo-item.ts'
import { createBackgroundWork, type BackgroundWork } from './background-work.ts'
import type { AgentContext } from './context.ts'
import { createLearningState } from './learning.ts'
import type { SessionScope, SessionScopes } from './session-scope.ts'

export type SessionScopesOptions = Pick<
  AgentContext,
  'home' | 'config' | 'environment' | 'log' | 'clock' | 'redactor'
> & {
  /** Directory in which sessions begin, absolute. */
  readonly cwd: string
  /** Notes a kind of command that was allowed for good. */
  readonly persistApproval?: (key: string) => Promise<void>
  /** Most scopes that are kept open while nothing runs in them. */
  readonly maxIdle?: number
}

/** What sessions of one profile keep between their calls and turns; nothing is opened before it is used. */
export function createSessionScopes(options: SessionScopesOptions): SessionScopes {
  const { home, config, maxIdle = 64 } = options
  const scopes = new Map<string, Scope>()
  const closing = new Set<Promise<void>>()
  const shared: Shared = {
    options,
    allowlist: createCommandAllowlist(config.command_allowlist, options.persistApproval),
    records: createProcessRecords(home.path('processes.json'), options),
    estimates: createSharedEstimates(),
  }

  /** The youngest come last in the map. */
  function closeOldestIdle(): void {
    let left = scopes.size - maxIdle
    for (const [id, scope] of scopes) {
      if (left <= 0) return
      if (scope.isBusy) continue
      left--
      void close(id)
    }
  }

  function close(id: string): Promise<void> {
    const scope = scopes.get(id)
    if (!scope) return Promise.resolve()
    scopes.delete(id)
    const closed = scope[Symbol.asyncDispose]().finally(() => closing.delete(closed))
    closing.add(closed)
    return closed
  }

  // However the process ends, no command of it goes on alone.
  const endAll = () => {
    for (const id of scopes.keys()) void close(id)
  }
  process.once('exit', endAll)

  function get(sessionId: string, parent?: SessionScope): Scope {
    const known = scopes.get(sessionId)
    if (known) scopes.delete(sessionId)
    else closeOldestIdle()
    const scope = known ?? new Scope(sessionId, shared, parent)
    scopes.set(sessionId, scope)
    return scope
  }

  return {
    get: (sessionId) => get(sessionId),
    child: get,
    async move(from, to) {
      const scope = get(from)
      // What an earlier run left belongs to the old id.
      const { processes } = scope
      scopes.delete(from)
      scope.sessionId = to
      scopes.set(to, scope)
      await processes.moveTo(to)
      return scope
    },
    close,
    async [Symbol.asyncDispose]() {
      process.off('exit', endAll)
      endAll()
      await Promise.all(closing)
    },
  }
}

/** What all scopes of a profile use. */
interface Shared {
  readonly options: SessionScopesOptions
  readonly allowlist: CommandAllowlist
  readonly records: ProcessRecords
  readonly estimates: SharedEstimates
}

class Scope implements SessionScope {
  sessionId: string
  readonly checkpoints = createSessionCheckpoints()
  readonly approved: Set<string>
  readonly depth: number
  readonly knownFolders = new Set<string>()
  readonly contextState: ContextState
  readonly learning = createLearningState()
  readonly allowlist: CommandAllowlist
  readonly browser: SessionBrowser
  readonly web: SessionScope['web']
  todos: readonly TodoItem[] = []
  yolo: boolean
  turnRunning = false
  eventSeq = 0
  sudoPassword: string | undefined
  // Most sessions of a server never use them.
  #fileReads: FileReads | undefined
  #processes: ProcessRegistry | undefined
  readonly #records: ProcessRecords
  readonly #options: SessionScopesOptions
  readonly #background: BackgroundWork
  readonly #workspace: string
  #opening: Promise<Terminal> | undefined
  #terminal: Terminal | undefined
  readonly #closers: (() => Promise<void>)[] = []
  #isClosed = false

  constructor(sessionId: string, { options, allowlist, records, estimates }: Shared, parent?: SessionScope) {
    this.sessionId = sessionId
    this.depth = parent ? parent.depth + 1 : 0
    this.approved = parent?.approved ?? new Set()
    this.yolo = parent?.yolo ?? false
    this.sudoPassword = parent?.sudoPassword
    this.web = parent?.web ?? {}
    this.#workspace = parent?.cwd() ?? workspaceOf(options)
    this.allowlist = allowlist
    this.contextState = createContextState(estimates)
    this.#options = options
    this.#background = createBackgroundWork(options.log)
    this.#records = records
    this.browser = createSessionBrowser(options)
    this.browser.cdpUrl = parent?.browser.cdpUrl
  }

  get fileReads(): FileReads {
    return (this.#fileReads ??= createFileReads())
  }

  get processes(): ProcessRegistry {
    const { clock, redactor } = this.#options
    const { sessionId } = this
    return (this.#processes ??= createProcessRegistry({
      sessionId,
      clock,
      redactor,
      records: this.#records,
      terminal: () => this.terminal(),
    }))
  }

  /** Whether closing it now would take something away from somebody. */
  get isBusy(): boolean {
    return this.turnRunning || (this.#processes?.running ?? 0) > 0 || this.#background.isRunning()
  }

  terminal(): Promise<Terminal> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  cwd(): string {
    return this.#terminal?.cwd ?? this.workspace()
  }

  workspace(): string {
    return this.#workspace
  }

  background(name: string, work: (signal: AbortSignal) => Promise<void>): void {
    this.#background.run(name, work)
  }

  onClose(work: () => Promise<void>): void {
    this.#closers.push(work)
  }

  /** Everything is told to end before the first `await`, so that it can be called where nothing waits any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    await Promise.all([
      this.#background[Symbol.asyncDispose](),
      this.#processes?.[Symbol.asyncDispose](),
      this.browser[Symbol.asyncDispose](),
      this.#terminal?.[Symbol.asyncDispose](),
      ...this.#closers.splice(0).map((close) => this.#closed(close)),
    ])
    // One that is being opened just now closes itself.
    await this.#opening?.catch(() => undefined)
  }

  async #closed(close: () => Promise<void>): Promise<void> {
    try {
      await close()
    } catch (error) {
      this.#options.log.warn({ session: this.sessionId, error: String(error) }, 'not closed in order')
    }
  }

  async #open(): Promise<Terminal> {
    const { config, environment, home } = this.#options
    const ownHome = home.path('home')
    const homeDir = environment['HERMES_HOME'] && isFolder(ownHome) ? { homeDir: ownHome } : {}
    try {
      const passthrough = config.terminal.env_passthrough
      const cwd = this.workspace()
      const terminal = await openTerminal(config.terminal.backend, { cwd, environment, passthrough, ...homeDir })
      this.#terminal = terminal
      if (this.#isClosed) await terminal[Symbol.asyncDispose]()
      return terminal
    } catch (error) {
      // The next call may find things in order.
      this.#opening = undefined
      throw error
    }
  }
}

/** Where a person's session begins. */
function workspaceOf({ config, cwd, environment }: SessionScopesOptions): string {
  const wanted = config.terminal.cwd
  if (['', '.', 'auto', 'cwd'].includes(wanted)) return cwd
  const expanded = wanted.replace(/^~(?=\/|$)/, environment['HOME'] ?? '~')
  return isAbsolute(expanded) ? expanded : resolve(cwd, expanded)
}
