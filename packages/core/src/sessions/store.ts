import type { Usage } from '../models/model.ts'
import type { TranscriptMessage } from '../models/transcript.ts'

/** One session's row. Times are ms since the epoch here; the database keeps upstream's fractional seconds. */
export interface Session {
  /** `YYYYMMDD_HHMMSS_<6 hex>`; others where a face says so. */
  readonly id: string
  /** The face that made it: `cli`, a platform, `cron` … */
  readonly source: string
  readonly userId: string | undefined
  readonly model: string | undefined
  /** The frozen system prompt, once the first turn has built it. */
  readonly systemPrompt: string | undefined
  readonly parentId: string | undefined
  readonly startedAt: number
  /** Undefined while open. */
  readonly endedAt: number | undefined
  readonly endReason: string | undefined
  readonly messageCount: number
  readonly toolCallCount: number
  readonly usage: Usage
  /** The best figure that there is: what providers charged, and estimates for the rest. */
  readonly estimatedCostUsd: number | undefined
  /** The part of it that providers told. */
  readonly actualCostUsd?: number
  /** How the cost of the latest call is known, and where from. */
  readonly costStatus?: string
  readonly costSource?: string
  readonly title: string | undefined
}

/** A session in a list. */
export interface SessionListing extends Session {
  /** First user message, one line, at most 60 characters and `...`. */
  readonly preview: string
  /**
   * Time of the last message, or of the start where that is later. Where children are not listed, what carries the session
   * on counts.
   */
  readonly lastActiveAt: number
}

/** A message as stored. */
export interface StoredMessage {
  /** Row id: grows with every message of the store. */
  readonly id: number
  readonly sessionId: string
  readonly timestamp: number
  readonly message: TranscriptMessage
}

export interface NewSession {
  readonly id?: string
  readonly source: string
  readonly userId?: string
  readonly model?: string
  readonly modelConfig?: Readonly<Record<string, unknown>>
  readonly parentId?: string
}

/** A message and when it was written, ms since 1970. */
export interface DatedMessage {
  readonly timestamp: number
  readonly message: TranscriptMessage
}

/** A session that was kept elsewhere. */
export interface AdoptedSession extends NewSession {
  readonly id: string
  /** Ms since 1970. */
  readonly startedAt: number
  readonly messages: readonly DatedMessage[]
}

export interface ListOptions {
  readonly source?: string
  /** Sources left out; default `tool`. */
  readonly excludeSources?: readonly string[]
  /** Also sessions that have a parent. */
  readonly includeChildren?: boolean
  readonly limit?: number
  readonly offset?: number
}

export interface SearchOptions {
  readonly limit?: number
  readonly offset?: number
  readonly sources?: readonly string[]
  readonly excludeSources?: readonly string[]
  readonly roles?: readonly TranscriptMessage['role'][]
  readonly excludeSessionIds?: readonly string[]
}

/** One message that matches. */
export interface SearchHit {
  readonly messageId: number
  readonly sessionId: string
  readonly role: TranscriptMessage['role']
  /** About 40 words around the match, matches between `>>>` and `<<<`. */
  readonly snippet: string
  readonly timestamp: number
  readonly toolName: string | undefined
  readonly source: string
  readonly model: string | undefined
  readonly sessionStartedAt: number
  readonly sessionTitle: string | undefined
  /** Higher is better; comparable within one search. */
  readonly score: number
}

/** Tokens and money of one model call, added to a session. */
export interface UsageDelta {
  readonly usage: Usage
  readonly model: string
  readonly billingProvider?: string
  readonly billingBaseUrl?: string
  /** The best figure that there is, reported or not. */
  readonly estimatedCostUsd?: number
  /** The same where the provider told it. */
  readonly actualCostUsd?: number
  readonly costStatus?: 'actual' | 'estimated' | 'included' | 'unknown'
  readonly costSource?: string
  /** Day of the prices that it was reckoned by. */
  readonly pricingVersion?: string
}

/** What is noted of a session together with a message. */
export interface SessionNotes {
  /** What the call took that the message came of. */
  readonly usage?: UsageDelta
  readonly systemPrompt?: string
}

/** What a group of sessions cost. */
export interface CostSum {
  /** As far as it is known, USD. */
  readonly usd: number
  /** The part that providers told; the rest is estimated. */
  readonly reportedUsd: number
  /** Sessions that a subscription or one's own machine paid for. */
  readonly includedSessions: number
  /** Sessions that cost something that nobody knows. */
  readonly unknownSessions: number
}

/** Sums of a group of sessions: those with one source, one model, or begun on one day. */
export interface SessionSums {
  readonly sessions: number
  readonly messages: number
  readonly usage: Usage
  readonly cost: CostSum
}

/** Sums over sessions, for `hermes insights` and `hermes sessions analytics`. */
export interface SessionAnalytics {
  readonly sessions: number
  readonly messages: number
  readonly toolCalls: number
  readonly usage: Usage
  readonly cost: CostSum
  readonly databaseBytes: number
  readonly bySource: readonly (SessionSums & { readonly source: string })[]
  readonly byModel: readonly (SessionSums & { readonly model: string })[]
  /** Most used tools first. */
  readonly byTool: readonly { tool: string; calls: number }[]
  /** Days as `YYYY-MM-DD` in the profile's time zone, oldest first. */
  readonly byDay: readonly (SessionSums & { readonly day: string })[]
  /** Messages by the hour of the profile's clock, 24 of them. */
  readonly byHour: readonly number[]
}

/** One line of an export: the session's columns by their names, and its messages with all of theirs. */
export interface ExportedSession {
  readonly id: string
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly [column: string]: unknown
}

/**
 * Where sessions live. Every write is durable when its promise resolves; many processes may share one store.
 * Throws `SessionError`.
 */
export interface SessionStore {
  create(session: NewSession): Promise<Session>
  /** Takes over a session that was kept elsewhere, in one step. False where it is here with messages, or has none. */
  adopt(session: AdoptedSession): Promise<boolean>
  get(id: string): Promise<Session | undefined>
  /** Finds a session by id, unique id prefix, or title (the newest of a `name #2` lineage). */
  resolve(idOrTitle: string): Promise<Session | undefined>
  list(options?: ListOptions): Promise<readonly SessionListing[]>
  /** The session used last, of one source or of any. */
  latest(source?: string): Promise<Session | undefined>
  /** Adds one message, and notes what belongs to it in the same write; resolves to its row id. */
  append(sessionId: string, message: TranscriptMessage, notes?: SessionNotes): Promise<number>
  /** All messages of a session in order. Rows that are no part of a transcript (`session_meta`) are left out. */
  messages(sessionId: string): Promise<readonly StoredMessage[]>
  /** Removes a session's messages from row id `fromId` on (`/undo`, `/retry`). */
  removeMessages(sessionId: string, fromId: number): Promise<number>
  setSystemPrompt(id: string, systemPrompt: string): Promise<void>
  /** Cleans and sets a title; throws `title-taken`, `title-too-long`. Empty clears it. Resolves to what was stored. */
  rename(id: string, title: string): Promise<string | undefined>
  /**
   * Gives a title to a session that has none, with a number where another has it. Resolves to what was stored;
   * undefined when the session stays as it is. Throws `title-too-long`.
   */
  suggestTitle(id: string, title: string): Promise<string | undefined>
  addUsage(id: string, delta: UsageDelta): Promise<void>
  /** Ends a session; `reopen` undoes it. */
  end(id: string, reason: string): Promise<void>
  reopen(id: string): Promise<void>
  remove(id: string): Promise<boolean>
  /** Removes ended sessions that started before `before` (ms); resolves to how many. */
  prune(options: { readonly before: number; readonly source?: string }): Promise<number>
  /** Copies a session's messages into a new child and ends the old one as `branched`. */
  branch(id: string, title?: string): Promise<Session>
  /**
   * Ends a session as `compression` and makes the child that goes on with `messages`, in one step: a crash leaves both or
   * neither. The child has the next title of the lineage and no system prompt.
   */
  compact(id: string, messages: readonly TranscriptMessage[]): Promise<Session>
  /** The session that carries a compacted one on now; itself where it was not compacted. */
  carriedOnBy(id: string): Promise<Session | undefined>
  /** A session with its messages, every column as upstream exports it; undefined where there is no such session. */
  exportSession(id: string): Promise<ExportedSession | undefined>
  search(query: string, options?: SearchOptions): Promise<readonly SearchHit[]>
  /** Sums over sessions begun and messages written since a time (ms), of one source or of all. */
  analytics(options?: { readonly since?: number; readonly source?: string }): Promise<SessionAnalytics>
  /** Makes the first turn of this process quicker: what it will write is written, and taken back unseen. */
  rehearse(): Promise<void>
  /** Releases the store; safe to call twice. */
  close(): Promise<void>
}

export type SessionErrorCode =
  | 'not-found'
  | 'title-taken'
  | 'title-too-long'
  | 'locked'
  | 'corrupt'
  | 'newer-schema'
  | 'disk-full'
  /** The store's files cannot be opened, read or written. */
  | 'unavailable'

/** A session store refused or failed. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionErrorCode

  constructor(code: SessionErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
