// Numbers and closed sets of the Pheby protocol, without the schema library: clients use them as they are.

export const PHEBY_PROTOCOL_VERSION = 1
export const PHEBY_DEFAULT_PORT = 8620
/** Largest frame from the client, bytes. */
export const MAX_REQUEST_BYTES = 2 * 1024 * 1024
/** Longest text of one `chat.send`, Unicode characters. */
export const MAX_TEXT_CHARS = 64_000
/** Messages that one `conversation.open` returns at most; the newest ones. */
export const MAX_HISTORY_MESSAGES = 500
/** Messages that it returns when the client names no number. */
export const DEFAULT_HISTORY_MESSAGES = 200
/** Longest name of a conversation. */
export const MAX_NAME_CHARS = 200

/** How long a connection may take to say `hello`. */
export const HELLO_TIMEOUT_MS = 10_000
/** Between two WebSocket pings of the server. */
export const PING_INTERVAL_MS = 30_000
/** Failed hellos of one address within the time that lock it out for as long. */
export const LOCKOUT_FAILURES = 5
export const LOCKOUT_WINDOW_MS = 60_000

export const APPROVAL_CHOICES = ['once', 'session', 'always', 'deny'] as const
export const TOOL_STATUSES = ['running', 'completed', 'failed', 'cancelled'] as const
export const RUN_STATUSES = ['completed', 'cancelled', 'failed'] as const
export const ATTACHMENT_KINDS = ['image', 'voice', 'video', 'audio', 'document'] as const
/** What a change or a value holds for. */
export const SCOPES = ['conversation', 'global'] as const
/** Levels of reasoning, weakest first. */
export const REASONING_EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'] as const
/** What `reasoning.set` takes: the levels, and `none`, which turns thinking off. */
export const REASONING_CHOICES = ['none', ...REASONING_EFFORTS] as const
