import type { Environment } from '@hermes/core/agent/context.ts'
import type { Clock } from '@hermes/core/agent/clock.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { Courier } from '../deliver/courier.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'
import type { Button, ChatRef, OutboundPart, SentRef } from '../messages/outbound-message.ts'
import type { AskedElsewhere } from '../turn/decisions.ts'
import type { TurnFace } from './turn-face.ts'

/**
 * A chat service. One folder under `platforms/` and one line in the registry; its SDK is imported when it connects.
 * `Host`: what it needs, a `FaceHost` where it shows conversations itself.
 */
export interface Platform<Settings = unknown, Host extends PlatformHost = PlatformHost> {
  /** As in config and session keys: `telegram`. */
  readonly name: string
  /** For people: `Telegram`. */
  readonly label: string
  /** Beginning of its variables: `TELEGRAM` of `TELEGRAM_ALLOWED_USERS`. */
  readonly variablePrefix: string
  /** How to write for it, for the system prompt. */
  readonly promptHint: string
  readonly limits: MessageLimits
  /** What people write before a command's name where a slash does not reach the agent: `!`, `/hermes `. */
  readonly commandStart?: string
  /** Its settings out of the configuration and the environment, or why it is not used. Asks no server. */
  read(config: Config, environment: Environment): PlatformSetup<Settings>
  /** Connects; resolves when messages can come. Throws `PlatformError`. */
  connect(settings: Settings, host: Host, signal: AbortSignal): Promise<Connection>
  /**
   * Connects only to send, for a process that is no gateway: takes no messages, and claims the account as `connect` does.
   * Absent where sending needs all of it. Throws `PlatformError`.
   */
  connectToSend?(settings: Settings, host: SendingHost, signal: AbortSignal): Promise<SendingConnection>
}

export type PlatformSetup<Settings> =
  | { readonly state: 'ready'; readonly settings: Settings }
  /** Nothing of it is set. */
  | { readonly state: 'absent' }
  /** Something is set, and something else is missing or wrong: what to do, for people. */
  | { readonly state: 'incomplete'; readonly reason: string }

export interface MessageLimits {
  /** Longest text of one message, in the units of `lengthOf`. */
  readonly maxLength: number
  /** Length as the service counts it; UTF-16 units when absent. */
  readonly lengthOf?: (text: string) => number
  /** Largest file that it takes, bytes, 0 where it takes none; absent: 8 MiB. */
  readonly maxFileBytes?: number
}

/** What a connection is given. */
export interface PlatformHost {
  readonly home: Home
  readonly environment: Environment
  readonly clock: Clock
  readonly log: Logger
  /** To chats of other platforms. */
  readonly courier: Courier
  /**
   * Takes a message over. Resolves when it is in durable storage: only then may the service be told that it arrived.
   * Rejects when it cannot be stored: then the service must give it again.
   */
  receive(message: InboundMessage): Promise<void>
  /**
   * A button of ours was pressed. Resolves to what the person is told, e.g. that it is decided already; '' where the
   * message will show it.
   */
  press(press: ButtonPress): Promise<string>
}

/** What a connection that only sends is given. */
export type SendingHost = Pick<PlatformHost, 'home' | 'environment' | 'clock' | 'log'>

/** A connection that only sends. Disposing of it gives the account back. */
export interface SendingConnection extends AsyncDisposable, Pick<Connection, 'send' | 'rates'> {}

export interface ButtonPress {
  readonly chat: ChatRef
  readonly userId: string
  readonly userName?: string
  /** As in `MessageSource`. */
  readonly listedAs?: string
  /** What the button was made with. */
  readonly data: string
}

/** A live connection to a service. An optional object is something that only some services can do. */
export interface Connection {
  /** The account that we are there, so that two bots on one platform are told apart. */
  readonly account: string
  /**
   * Sends one part. `key` is the same when the same part is sent again after a doubt: services that know such keys show
   * it once. Throws `PlatformError`.
   */
  send(to: ChatRef, part: OutboundPart, options: SendOptions, signal: AbortSignal): Promise<SentRef>
  /** What is sent again with its `key` is shown once within a day: nobody need be told that it may be there twice. */
  readonly knowsKeys?: boolean
  readonly editing?: {
    /** Replaces the text of a message of ours. An unchanged text is no failure. */
    edit(message: SentRef, text: string, signal: AbortSignal, how?: EditOptions): Promise<void>
    remove?(message: SentRef, signal: AbortSignal): Promise<void>
  }
  readonly typing?: {
    /** Shows that we write; lasts `lastsMs`. */
    show(chat: ChatRef, signal: AbortSignal): Promise<void>
    readonly lastsMs: number
  }
  readonly reactions?: {
    /** Shows how far the work on a person's message is; `undefined` takes the reaction away. */
    react(chat: ChatRef, messageId: string, mark: ProgressMark | undefined, signal: AbortSignal): Promise<void>
  }
  readonly buttons?: {
    /** Longest data of one button, bytes. */
    readonly maxDataBytes: number
    /** Takes the buttons away and shows what was decided. */
    close(message: SentRef, text: string, signal: AbortSignal, how?: EditOptions): Promise<void>
    /** Gives a message of ours another text and other buttons. */
    change?(
      message: SentRef,
      text: string,
      buttons: readonly Button[],
      signal: AbortSignal,
      how?: EditOptions,
    ): Promise<void>
  }
  readonly channels?: {
    /** The places that it can write to, as far as the service tells. Throws `PlatformError`. */
    list(signal: AbortSignal): Promise<readonly ListedChannel[]>
  }
  /**
   * Where turns of its chats ask for consent, when nobody reads those chats themselves. Resolves to undefined where nobody
   * can be asked.
   */
  readonly asksElsewhere?: (chat: ChatRef) => Promise<AskedElsewhere | undefined>
  /** For a face that shows the parts of a turn itself: it gets them instead of edits, and questions instead of buttons. */
  readonly face?: TurnFace
  /** Calls per second and minute that the service allows; see `RateBudget`. */
  readonly rates: RateLimits
  /** Resolves when the connection is lost for good, with the reason; never rejects. */
  readonly closed: Promise<unknown>
  [Symbol.asyncDispose](): Promise<void>
}

/** A place as `channel_directory.json` names it. */
export interface ListedChannel {
  readonly id: string
  readonly name: string
  readonly type: string
  /** Server or workspace that it is in. */
  readonly guild: string
}

export interface SendOptions {
  readonly key: string
  /** The person's message that this answers. */
  readonly replyTo?: string
  /** The event that the message was; undefined where no message of a person asked for it. */
  readonly answers?: string
  /** About the gateway's doings, not a part of the conversation. */
  readonly isNotice?: boolean
  /**
   * Waits for the turn of one more call, where what the service refused is sent again in another manner. Rejects where it
   * is not to be sent any more.
   */
  readonly again?: () => Promise<unknown>
}

/** How a message of ours gets another text. */
export type EditOptions = Pick<SendOptions, 'again'>

export type ProgressMark = 'working' | 'done' | 'failed'

export interface RateLimits {
  /** Calls of the account in a second. */
  readonly perSecond: number
  /** Calls to one chat in a second. */
  readonly perChatSecond: number
  /** Calls to one group in a minute. */
  readonly perGroupMinute?: number
}
