import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Lanes } from '../lanes/lanes.ts'
import type { LiveAgent } from '../life/live-agent.ts'
import type { Restarts } from '../life/restarts.ts'
import type { InboundAttachment, InboundMessage } from '../messages/inbound-message.ts'
import type { PlatformStatus } from '../platforms/platform-runner.ts'
import type { Platform } from '../platforms/platform.ts'
import type { ChatSessions } from '../sessions/chat-sessions.ts'
import type { ChatSettings } from '../sessions/chat-settings.ts'
import type { VoiceModes } from '../sessions/voice-modes.ts'
import type { Decisions } from '../turn/decisions.ts'
import type { InboxEntry } from '../store/inbox.ts'
import type { FilePart } from '../turn/deliver-files.ts'
import type { Steering } from '../turn/steering.ts'
import type { Menu } from './menu.ts'
import type { OpenMenus } from './open-menus.ts'

/** What a person writes with a slash in a chat. It is answered at once, whatever a turn is doing. */
export interface ChatCommand {
  readonly name: string
  readonly aliases?: readonly string[]
  /** Arguments as help shows them. */
  readonly args?: string
  /** The same one by one, in the order in which they are written, where `args` does not tell enough of them. */
  readonly options?: readonly CommandOption[]
  readonly summary: string
  /** Does it, or says what is to be done; resolves at once. */
  run(call: CommandCall): Promise<string | CommandAnswer>
}

/** One argument, for services that ask for each by itself. */
export interface CommandOption {
  readonly name: string
  /** What it is, for people. */
  readonly about: string
  /** `flag`: its word is written, or not; default `text`. */
  readonly kind?: 'text' | 'whole' | 'flag'
  /** What stands before its value: `--source`; of a flag: what is written. */
  readonly word?: string
  /** What may be chosen; anything where absent. */
  readonly choices?: readonly string[]
  readonly isRequired?: boolean
}

/** What comes of a command beside a text. */
export interface CommandAnswer {
  /** Said now. */
  readonly say?: string
  /** Sent after that. */
  readonly files?: readonly FilePart[]
  /** Shown in place of `say` where the chat has buttons. */
  readonly menu?: Menu
  /** Answered as the person's next message. */
  readonly ask?: PreparedMessage
  /** What takes its time. After a restart it begins anew. */
  readonly work?: CommandWork
}

/** A message that a command makes. */
export interface PreparedMessage {
  readonly text: string
  /** The person's own words. */
  readonly isTyped: boolean
  /** Row of the message that it takes the place of. */
  readonly replaces?: number
  /** Its files, before those of the command. */
  readonly attachments?: readonly InboundAttachment[]
}

export interface CommandWork {
  /** Undefined: the chat's own, after all that waits in it; else a name: beside it, one after the other. */
  readonly lane?: string
  readonly run: (signal: AbortSignal) => Promise<string | Omit<CommandAnswer, 'work'>>
}

export interface CommandCall {
  /** The name that was written. */
  readonly name: string
  /** What follows the name. */
  readonly args: string
  readonly message: InboundMessage
  readonly sessionKey: string
  /** What a process that died had noted by `begin`, that the same call may have been done already. */
  readonly begun?: InboxEntry['begun']
  /** Notes, before a session is changed, how many messages it has. */
  begin(sessionId: string, messagesBefore: number): Promise<void>
  /** The agent with its settings as they are now. */
  readonly agent: AgentContext
  readonly chats: ChatServices
}

/** What commands may use. */
export interface ChatServices {
  readonly live: LiveAgent
  readonly lanes: Lanes
  readonly sessions: ChatSessions
  readonly settings: ChatSettings
  readonly voice: VoiceModes
  readonly decisions: Decisions
  readonly steering: Steering
  readonly menus: OpenMenus
  readonly hooks: Hooks
  /** Absent where nothing would start the gateway anew. */
  readonly restarts?: Restarts
  platforms(): readonly PlatformStatus[]
  platform(name: string): Platform | undefined
  /** Takes back what of a conversation's answers has not gone out. Resolves to how many messages that were. */
  dropAnswers(sessionKey: string): Promise<number>
  /** Asks the people of a chat; for work beside its turns. */
  decideIn(message: InboundMessage, sessionKey: string, signal: AbortSignal): CommandDecide
}

export type CommandDecide = ReturnType<Decisions['decideFor']>

/** The command that a text is: its name and the rest. Undefined for one that is none, such as a path; no name is so long. */
export function readCommand(text: string): { readonly name: string; readonly args: string } | undefined {
  const found = /^\/(\p{L}[^\s/]{0,99})(?:\s+([\s\S]*))?$/u.exec(text.trim())
  const name = found?.[1]?.split('@')[0]?.toLowerCase().replaceAll('_', '-')
  return name ? { name, args: found?.[2]?.trim() ?? '' } : undefined
}

/** Most that may wait in a lane; what a person asks for beyond that is refused. */
export const maxWaiting = 20

/** The lane of what runs beside a chat's turns. */
export function sideLane(sessionKey: string, name: string): string {
  return `${sessionKey}#${name}`
}

/** Side lanes of a chat: questions aside, answers that are files and are read first, answers that are spoken too. */
export const [asideLane, answerLane, speakingLane] = ['btw', 'answer', 'speak'] as const
