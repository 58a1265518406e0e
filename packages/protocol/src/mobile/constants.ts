// Numbers and closed sets of the mobile protocol, without the schema library: clients use them as they are.

export const MOBILE_PROTOCOL_VERSION = 1
export const MOBILE_DEFAULT_PORT = 8787
/** Largest frame either way, bytes. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024
/** Bytes of a file in one `media` frame, before base64. */
export const MEDIA_CHUNK_BYTES = 3 * 1024 * 1024
/** Parts that one file may come in. */
export const MAX_MEDIA_PARTS = 10_000
/** Longest text, transcript or caption of the client, UTF-16 units: more than models take; what is longer goes as a file. */
export const MAX_CLIENT_TEXT_CHARS = 1_000_000
/** Longest id of a message, a device or a card. */
export const MAX_ID_CHARS = 200

/** WebSocket close code of denied access; a client does not come back after it. */
export const CLOSE_POLICY_VIOLATION = 1008
/** WebSocket close code of a frame that is too large. */
export const CLOSE_TOO_BIG = 1009

/** How long a connection may take to say `hello`. */
export const HELLO_TIMEOUT_MS = 10_000
/** Between two WebSocket pings of the server; a client that is silent for two is closed. */
export const PING_INTERVAL_MS = 30_000
/** Failed hellos of one address within the time of the same name that lock it out. */
export const LOCKOUT_FAILURES = 5
export const LOCKOUT_WINDOW_MS = 60_000
export const LOCKOUT_MS = 60_000

/** What was not acknowledged is sent again for so long, and so many items of it. */
export const REDELIVERY_MAX_AGE_MS = 24 * 60 * 60 * 1000
export const REDELIVERY_MAX_ITEMS = 500

export const AUDIO_FORMATS = ['wav', 'ogg'] as const
/** What a device may send. */
export const INBOUND_MEDIA_KINDS = ['image', 'video', 'document', 'audio'] as const
/** What the agent may send. */
export const OUTBOUND_MEDIA_KINDS = ['image', 'video', 'document', 'audio', 'voice', 'animation'] as const
export const AVATAR_STATES = ['idle', 'listening', 'thinking', 'working', 'speaking', 'error'] as const

export const PROMPT_KINDS = ['exec_approval', 'slash_confirm', 'clarify'] as const
export const EXEC_APPROVAL_OPTIONS = ['once', 'session', 'always', 'deny'] as const
export const SLASH_CONFIRM_OPTIONS = ['once', 'always', 'cancel'] as const
/** The option of a clarification that goes with free text; the others are `c0`, `c1` and so on. */
export const CLARIFY_OTHER = 'other'
