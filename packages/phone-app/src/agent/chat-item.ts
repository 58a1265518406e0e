/** One thing in a conversation, as the page shows it. Survives JSON, but for files. */
export type ChatItem =
  | {
      readonly type: 'message'
      readonly id: string
      readonly from: 'person' | 'agent'
      readonly text: string
      /** The agent still writes it. */
      readonly isDraft?: boolean
      /** The person's, not confirmed yet. */
      readonly isWaiting?: boolean
    }
  | { readonly type: 'notice'; readonly id: string; readonly text: string }
  | {
      readonly type: 'tool'
      readonly id: string
      readonly name: string
      readonly status: 'running' | 'completed' | 'failed' | 'cancelled'
      /** What it works on, one line. */
      readonly detail: string
    }
  | {
      readonly type: 'file'
      readonly id: string
      readonly from: 'person' | 'agent'
      readonly kind: 'image' | 'video' | 'audio' | 'document'
      readonly name: string
      readonly mime: string
      readonly caption: string
      /** Bytes. */
      readonly size: number
      /** The person's, not confirmed yet. */
      readonly isWaiting?: boolean
      /** Fetches it; absent where it is not here any more. */
      readonly load?: () => Promise<Blob>
    }
  | {
      readonly type: 'card'
      readonly id: string
      readonly kind: 'approval' | 'confirm' | 'question'
      readonly text: string
      /** A command line, apart from the text. */
      readonly command?: string
      readonly options: readonly CardOption[]
      readonly takesText: boolean
      /** How it ended, for people; absent while it is open. */
      readonly outcome?: string
    }

export interface CardOption {
  readonly id: string
  readonly label: string
  readonly style: 'primary' | 'default' | 'danger'
}

/** `idle` until the agent works on something. */
export type Activity = 'idle' | 'thinking' | 'working' | 'speaking'

/** A conversation in a list. */
export interface ConversationEntry {
  readonly id: string
  readonly name: string
  readonly lastActive: string | undefined
}

/** `refused`: coming back is pointless. */
export type ConnectionState = 'connecting' | 'connected' | 'reconnecting' | 'refused'

/** Everything that the page shows. */
export interface ChatState {
  readonly connection: ConnectionState
  /** What is wrong, for people. */
  readonly problem?: string
  readonly items: readonly ChatItem[]
  readonly activity: Activity
  readonly conversations: readonly ConversationEntry[]
  /** The one that is open. */
  readonly conversationId?: string
  /** A run that can be stopped. */
  readonly canStop: boolean
}

export const emptyState: ChatState = {
  connection: 'connecting',
  items: [],
  activity: 'idle',
  conversations: [],
  canStop: false,
}
