import { basename, dirname } from 'node:path'
import type { AgentContext } from '../agent/context.ts'
import type { SessionScope } from '../agent/session-scope.ts'
import { getAt, isTree } from '../config/tree.ts'
import type { ToolContributor } from '../tools/tool-contributor.ts'
import { toolsOf } from '../tools/toolsets.ts'
import type { MemoryProviderKind, MemoryProviderStart } from './memory-provider.ts'
import { providerToolHandle } from './provider-tool-handle.ts'
import { memoryProviders } from './providers/registry.ts'
import { SessionMemory, usualLimits } from './session-memory.ts'
import type { MemoryLimits } from './session-memory.ts'

/** The memory outside the memory files that a profile has set (`memory.provider`). */
export interface LongTermMemory {
  /** `memory.provider` */
  readonly name: string
  /**
   * A session's memory, opened when it is first asked for and closed with the scope. `about` counts then. Where it cannot
   * be opened the log says why, `problem` gets it for people, and the session does without.
   */
  session(scope: SessionScope, about?: SessionAbout): Promise<SessionMemory | undefined>
  /** The session does without. Has no effect once it is open. */
  leaveOut(scope: SessionScope): void
  /** Why a session does without; once a session. */
  takeProblem(scope: SessionScope): string | undefined
  /** Brings the provider's tools to sessions whose toolsets have `memory`. */
  readonly contributor: ToolContributor
}

/** What the opener of a session's memory knows of it. */
export interface SessionAbout {
  readonly platform: string
  readonly role?: MemoryProviderStart['role']
  readonly userId?: string | undefined
  readonly parentSessionId?: string | undefined
}

export interface LongTermMemoryOptions {
  readonly name: string
  /** Asked for when a session needs it, so that this can be part of it. */
  readonly agent: () => AgentContext
  readonly kinds?: Readonly<Record<string, () => Promise<MemoryProviderKind>>>
  readonly limits?: MemoryLimits
}

/** Longest that a provider may take to open, ms. */
const openTimeoutMs = 10_000

interface OpenMemory {
  readonly memory: Promise<SessionMemory | undefined>
  problem: string | undefined
}

/** Nothing is opened or loaded before a session asks. */
export function createLongTermMemory(options: LongTermMemoryOptions): LongTermMemory {
  const { name, agent, limits = usualLimits } = options
  const opened = new WeakMap<SessionScope, OpenMemory>()

  async function open(scope: SessionScope, about: SessionAbout): Promise<SessionMemory> {
    const { clock, log, redactor } = agent()
    const { role = 'primary', platform, userId, parentSessionId } = about
    const kind = await memoryKind(name, options.kinds)
    const start: MemoryProviderStart = {
      ...memoryStart(agent(), kind),
      sessionId: scope.sessionId,
      workspace: scope.workspace(),
      platform,
      role,
      ...(userId !== undefined && { userId }),
      ...(parentSessionId !== undefined && { parentSessionId }),
    }
    const available = await kind.available(start)
    if (available !== true) throw new Error(available)
    const provider = await kind.open(start)
    return new SessionMemory({ provider, role, clock, log, redactor, limits })
  }

  function session(scope: SessionScope, about: SessionAbout = { platform: 'cli' }): Promise<SessionMemory | undefined> {
    const known = opened.get(scope)
    if (known) return known.memory
    const { log, redactor } = agent()
    const opening = open(scope, about)
    const memory = inTime(opening, openTimeoutMs).catch((error: unknown) => {
      const reason = redactor.redact(error instanceof Error ? error.message : String(error))
      log.warn({ memory: name, error: reason }, 'memory provider not opened')
      entry.problem = `The memory provider ${name} is not used: ${reason} "hermes memory status" says more.`
      // What opens too late is closed at once.
      void opening.then((late) => late.close()).catch(() => undefined)
      return undefined
    })
    const entry: OpenMemory = { memory, problem: undefined }
    opened.set(scope, entry)
    scope.onClose(async () => (await memory)?.close())
    return memory
  }

  return {
    name,
    session,
    leaveOut(scope) {
      if (!opened.has(scope)) opened.set(scope, { memory: Promise.resolve(undefined), problem: undefined })
    },
    takeProblem(scope) {
      const entry = opened.get(scope)
      const problem = entry?.problem
      if (entry) entry.problem = undefined
      return problem
    },
    contributor: {
      async handles({ toolsets, session: asked }) {
        if (toolsets && !toolsOf(toolsets).tools.includes('memory')) return []
        // Where tools are only listed there is no session to open a memory for.
        if (!asked) return []
        const { scopes, redactor } = agent()
        const scope = scopes.get(asked.id)
        const memory = scope.depth > 0 ? undefined : await session(scope, asked)
        return (memory?.provider.tools ?? []).map((tool) => providerToolHandle(tool, name, redactor))
      },
    },
  }
}

/** A kind by its name. Throws where there is none. */
export async function memoryKind(
  name: string,
  kinds: Readonly<Record<string, () => Promise<MemoryProviderKind>>> = memoryProviders,
): Promise<MemoryProviderKind> {
  const load = Object.hasOwn(kinds, name) ? kinds[name] : undefined
  if (load) return load()
  throw new Error(`there is no memory provider "${name}"; there are ${Object.keys(kinds).sort().join(', ')}.`)
}

/** What a provider is told of the profile. */
export function memoryStart(
  agent: Pick<AgentContext, 'home' | 'environment' | 'clock' | 'log' | 'config'>,
  kind: Pick<MemoryProviderKind, 'name' | 'configPath'>,
): Pick<MemoryProviderStart, 'home' | 'environment' | 'clock' | 'log' | 'settings' | 'identity'> {
  const { home, environment, clock, log, config } = agent
  const settings = getAt(config, kind.configPath ?? [kind.name])
  const isProfile = basename(dirname(home.dir)) === 'profiles'
  const identity = isProfile ? basename(home.dir) : 'default'
  return { home, environment, clock, log, settings: isTree(settings) ? settings : {}, identity }
}

async function inTime<Value>(work: Promise<Value>, limitMs: number): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`it did not open within ${limitMs / 1000} s.`)), limitMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
