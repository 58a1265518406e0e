import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { PlatformStatus } from '../platforms/platform-runner.ts'
import type { ChatSessions } from '../sessions/chat-sessions.ts'
import type { Decisions } from '../turn/decisions.ts'

/** What a person writes with a slash in a chat. It is answered at once, whatever a turn is doing. */
export interface ChatCommand {
  readonly name: string
  readonly aliases?: readonly string[]
  /** Arguments as help shows them. */
  readonly args?: string
  readonly summary: string
  /** Does it and resolves to what is said. */
  run(call: CommandCall): Promise<string>
}

export interface CommandCall {
  /** What follows the name. */
  readonly args: string
  readonly message: InboundMessage
  readonly sessionKey: string
  readonly chats: ChatServices
}

/** What commands may use. */
export interface ChatServices {
  readonly agent: AgentContext
  readonly lanes: Lanes
  readonly sessions: ChatSessions
  readonly decisions: Decisions
  platforms(): readonly PlatformStatus[]
}

/** The command that a text is: its name and the rest. Undefined for one that is none, such as a path. */
export function readCommand(text: string): { readonly name: string; readonly args: string } | undefined {
  const found = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.trim())
  const name = found?.[1]?.split('@')[0]?.toLowerCase().replaceAll('_', '-')
  return name ? { name, args: found?.[2]?.trim() ?? '' } : undefined
}
