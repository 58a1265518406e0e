import { allowCommand } from '../config/allow-command.ts'
import { openProfile } from '../config/open-profile.ts'
import type { Profile } from '../config/open-profile.ts'
import type { Config } from '../config/schema.ts'
import { ensureHome } from '../config/home.ts'
import { openLogger } from '../log/file-logger.ts'
import type { LogComponent } from '../log/log-filter.ts'
import type { McpServers } from '../mcp/servers.ts'
import type { LongTermMemory } from '../memory/long-term-memory.ts'
import { openMemoryFiles } from '../memory/memory-files.ts'
import type { CredentialPool } from '../credentials/pool.ts'
import { createModels } from '../models/create-models.ts'
import type { Models } from '../models/model.ts'
import { knownSecrets } from '../security/known-secrets.ts'
import { createRedactor } from '../security/redact.ts'
import { openSqliteSessionStore } from '../sessions/sqlite.ts'
import { createFileMemo } from '../storage/file-memo.ts'
import { createListMemo } from '../storage/list-memo.ts'
import type { Tracing, TracingOptions } from '../telemetry/tracing.ts'
import { createToolSource } from '../tools/tool-source.ts'
import { systemClock } from './clock.ts'
import type { AgentContext, Environment } from './context.ts'
import { createSessionScopes } from './session-scopes.ts'
import { observersAsOne } from './work-observer.ts'
import type { WorkObserver } from './work-observer.ts'

export interface ContextOptions {
  /** The process's environment; its `HERMES_HOME` says which home. Unless `profile` is given. */
  readonly environment: Environment
  /** Directory in which sessions begin, absolute. */
  readonly cwd: string
  /** The profile, where the caller has read it already. */
  readonly profile?: Profile
  /** The part of the program that opens it: whose name its lines in the log bear. Default `agent`. */
  readonly component?: LogComponent
  /** Who watches what it does, beside the traces that the settings ask for. */
  readonly observers?: readonly WorkObserver[]
}

/** A context that its maker closes. */
export interface OpenContext extends AgentContext, AsyncDisposable {
  /** What other settings of the same profile come to, for whoever goes on with them. Closed with this context. */
  renewed(settings: Pick<AgentContext, 'config' | 'environment'>): Pick<AgentContext, 'models' | 'redactor'>
}

/** Changes of settings that turns may outlive. */
const maxModels = 8

/** Opens everything that a profile's agent uses. Throws `ConfigError`, `HomeError` or `SessionError`. */
export async function createContext(options: ContextOptions): Promise<OpenContext> {
  const { environment, cwd, profile, component = 'agent', observers = [] } = options
  const { home, config, ...own } = profile ?? (await openProfile(environment))
  ensureHome(home, own.environment)
  if (config.network.force_ipv4) (await import('../security/network/prefer-ipv4.ts')).preferIPv4()
  const clock = systemClock(config.timezone)
  const redactor = redactorOf({ config, environment: own.environment })
  const { level, max_size_mb: maxSizeMb, backup_count: backups } = config.logging
  const file = { level, maxSizeMb, backups, hasGatewayLog: component === 'gateway' }
  const log = openLogger({ home, redactor, clock, ...file }).child({ name: component })
  const tracing = await openTracing({ config, environment: own.environment, redactor, log })
  const observer = observersAsOne(tracing ? [...observers, tracing] : observers)
  const sessions = await openSqliteSessionStore({ home, clock, log })
  const persistApproval = (key: string) => allowCommand({ home, environment: own.environment }, key)
  const scopes = createSessionScopes({
    home,
    config,
    environment: own.environment,
    cwd,
    log,
    clock,
    redactor,
    persistApproval,
  })
  let pool: Promise<CredentialPool> | undefined
  const openPool = async (): Promise<CredentialPool> => {
    const { openCredentialPool } = await import('../credentials/pool.ts')
    const { poolSettings } = await import('../credentials/endpoints.ts')
    const settings = poolSettings(config, own.environment)
    return openCredentialPool({ home, environment: own.environment, clock, log, redactor, ...settings })
  }
  const credentials = () => (pool ??= openPool())
  const allModels: Models[] = []
  const modelsOf = (settings: Pick<AgentContext, 'config' | 'environment'>) => {
    const models = createModels({ ...settings, home, cwd, log, credentials, observer })
    allModels.push(models)
    // Turns that began with those of long ago have ended.
    if (allModels.length > maxModels) void allModels.shift()?.close?.()
    return models
  }
  const longTermMemory = await openLongTermMemory(config.memory.provider, () => context)
  const mcp = await openMcpServers(config.mcp_servers, cwd, () => context)
  const fileMemo = createFileMemo()
  const context: OpenContext = {
    home,
    config,
    environment: own.environment,
    clock,
    log,
    redactor,
    models: modelsOf({ config, environment: own.environment }),
    sessions,
    memory: openMemoryFiles(home, {
      memoryChars: config.memory.memory_char_limit,
      userChars: config.memory.user_char_limit,
    }),
    ...(longTermMemory && { longTermMemory }),
    tools: createToolSource(() => context),
    ...(mcp && { mcp }),
    toolContributors: [longTermMemory, mcp].flatMap((one) => one?.contributor ?? []),
    scopes,
    fileMemo,
    promptMemo: createListMemo(),
    ...(observer && { observer }),
    renewed: (settings) => ({ models: modelsOf(settings), redactor: redactorOf(settings) }),
    async [Symbol.asyncDispose]() {
      fileMemo[Symbol.dispose]()
      await Promise.all([scopes[Symbol.asyncDispose](), mcp?.[Symbol.asyncDispose]()])
      await Promise.all(allModels.map(async (models) => models.close?.()))
      await sessions.close()
      await (await pool)?.[Symbol.asyncDispose]()
      await tracing?.[Symbol.asyncDispose]()
    },
  }
  return context
}

function redactorOf({ config, environment }: Pick<AgentContext, 'config' | 'environment'>) {
  return createRedactor({ enabled: config.security.redact_secrets, known: knownSecrets(environment, config) })
}

/** Loads nothing where no traces are asked for. */
async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { telemetry } = options.config
  if (!telemetry.enabled && !telemetry.otlp.enabled) return undefined
  const { startTracing } = await import('../telemetry/tracing.ts')
  return startTracing(options)
}

/** Loads nothing where no memory provider is set. */
async function openLongTermMemory(name: string, agent: () => AgentContext): Promise<LongTermMemory | undefined> {
  if (name === '') return undefined
  const { createLongTermMemory } = await import('../memory/long-term-memory.ts')
  return createLongTermMemory({ name, agent })
}

/** Loads nothing where no server is set up. */
async function openMcpServers(
  servers: Config['mcp_servers'],
  cwd: string,
  agent: () => AgentContext,
): Promise<McpServers | undefined> {
  if (Object.keys(servers).length === 0) return undefined
  const { createMcpServers } = await import('../mcp/servers.ts')
  return createMcpServers({ agent, cwd })
}
