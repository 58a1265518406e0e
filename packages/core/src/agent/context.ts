import type { Config } from '../config/schema.ts'
import type { Home } from '../config/home.ts'
import type { ContextEngines } from '../context/context-engines.ts'
import type { Clock } from './clock.ts'
import type { Logger } from '../log/logger.ts'
import type { LongTermMemory } from '../memory/long-term-memory.ts'
import type { McpServers } from '../mcp/servers.ts'
import type { MemoryFiles } from '../memory/memory-files.ts'
import type { Models } from '../models/model.ts'
import type { Redactor } from '../security/redact.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { FileMemo } from '../storage/file-memo.ts'
import type { ListMemo } from '../storage/list-memo.ts'
import type { ToolContributor } from '../tools/tool-contributor.ts'
import type { ToolSource } from '../tools/tool-source.ts'
import type { Messenger } from './messenger.ts'
import type { SessionScopes } from './session-scope.ts'
import type { WorkObserver } from './work-observer.ts'

/**
 * Everything a profile's agent uses, made once and handed down; a function takes the part it needs. Two profiles in one
 * process have two of these and share nothing.
 */
export interface AgentContext {
  readonly home: Home
  /** Validated and frozen. */
  readonly config: Config
  /** The environment with the profile's `.env` over it. Nothing below `main` reads `process.env`. */
  readonly environment: Environment
  readonly clock: Clock
  readonly log: Logger
  readonly redactor: Redactor
  readonly models: Models
  readonly sessions: SessionStore
  readonly memory: MemoryFiles
  /** The memory provider, where one is set. */
  readonly longTermMemory?: LongTermMemory
  /** The MCP servers, where some are set up. */
  readonly mcp?: McpServers
  readonly tools: ToolSource
  /** Those who bring tools that are not built in. */
  readonly toolContributors?: readonly ToolContributor[]
  readonly scopes: SessionScopes
  /** Writes to chats, in the gateway's process. */
  readonly messenger?: Messenger
  /** What was made of files that sessions begin with; without it they are read by each. */
  readonly fileMemo?: FileMemo
  /** Prompts that were put together of the same blocks: one text for all sessions that begin with it. */
  readonly promptMemo?: ListMemo<string, string>
  /** Context engines that plugins have brought, by name. */
  readonly contextEngines?: ContextEngines
  /** Who watches what it does, where somebody does. */
  readonly observer?: WorkObserver
}

export type Environment = Readonly<Record<string, string | undefined>>
