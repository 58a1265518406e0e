import { randomBytes } from 'node:crypto'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { TranscriptMessage } from '@hermes/core/models/transcript.ts'
import { HttpError } from '../../http/http-error.ts'
import { derivedSessionId, fingerprint, isSameConversation } from './conversation.ts'
import type { TextMessage } from './conversation.ts'

/** A session that one request has for itself until it is disposed of. */
export interface ClaimedSession extends Disposable {
  readonly id: string
  /** It is not stored yet. */
  readonly isNew: boolean
}

/** A conversation that its client holds: what was said before the message that is to be answered. */
export interface HeldConversation {
  readonly system: string
  readonly history: readonly TextMessage[]
  /** The message itself. */
  readonly text: string
}

/** How far a client knows a session. */
export interface KnownSession {
  readonly id: string
  readonly messageCount: number
}

/** Which sessions requests run in; one request at a time in each. */
export interface ApiSessions {
  /** The session of this id, once it is free. Throws `HttpError` where too many wait for it; else the signal's reason. */
  claim(id: string, signal: AbortSignal): Promise<ClaimedSession>
  /** Gives a claimed session that is not there yet a history. */
  seed(id: string, history: readonly TranscriptMessage[]): Promise<void>
  /** The session whose history is the client's; a new one with that history where there is none. */
  forConversation(conversation: HeldConversation): Promise<ClaimedSession>
  /** A session goes on where it has as many messages as its client knows of; else a new one begins with `history`. */
  continuing(
    known: KnownSession | undefined,
    history: readonly TranscriptMessage[],
    freshId?: string,
  ): Promise<ClaimedSession>
  /** What a client now has of a conversation, so that its next request finds the session. */
  remember(conversation: HeldConversation, answer: string, sessionId: string): void
}

/** Conversations that are found again by what was said in them; older ones by what is stored. */
const maxRemembered = 2_000
/** Requests that may wait for one session. */
const maxWaiting = 16

export function createApiSessions({ sessions }: Pick<AgentContext, 'sessions'>): ApiSessions {
  const busy = new Map<string, (() => void)[]>()
  const remembered = new Map<string, string>()

  function claimed(id: string): ClaimedSession & { isNew: boolean } {
    let isHeld = true
    return {
      id,
      isNew: false,
      [Symbol.dispose]() {
        if (!isHeld) return
        isHeld = false
        const next = busy.get(id)?.shift()
        if (next) next()
        else busy.delete(id)
      },
    }
  }

  const tryClaim = (id: string): ReturnType<typeof claimed> | undefined => {
    if (busy.has(id)) return undefined
    busy.set(id, [])
    return claimed(id)
  }

  async function seed(id: string, history: readonly TranscriptMessage[]): Promise<void> {
    if (history.length === 0 || (await sessions.get(id))) return
    await sessions.create({ id, source: 'api_server' })
    for (const message of history) await sessions.append(id, message)
  }

  async function make(id: string, history: readonly TranscriptMessage[]): Promise<ClaimedSession> {
    const claim = tryClaim(id)
    if (!claim) throw new HttpError(409, 'session_busy', 'This session is in use.')
    try {
      await seed(id, history)
      return claim
    } catch (error) {
      claim[Symbol.dispose]()
      throw error
    }
  }

  /** Claims a session where `fits` says so of what is stored of it. */
  async function claimIf(
    id: string,
    fits: (stored: readonly TranscriptMessage[] | undefined) => boolean,
  ): Promise<ClaimedSession | undefined> {
    const claim = tryClaim(id)
    if (!claim) return undefined
    try {
      const session = await sessions.get(id)
      claim.isNew = session === undefined
      if (fits(session && (await sessions.messages(id)).map(({ message }) => message))) return claim
    } catch (error) {
      claim[Symbol.dispose]()
      throw error
    }
    claim[Symbol.dispose]()
    return undefined
  }

  return {
    async claim(id, signal) {
      const free = tryClaim(id)
      if (free) return free
      const waiting = busy.get(id) ?? []
      if (waiting.length >= maxWaiting) {
        const headers = { 'retry-after': '5' }
        throw new HttpError(429, 'session_busy', 'Too many requests wait for this session.', { headers })
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const leave = () => {
        const at = waiting.indexOf(resolve)
        if (at >= 0) waiting.splice(at, 1)
        reject(signal.reason)
      }
      waiting.push(resolve)
      signal.addEventListener('abort', leave, { once: true })
      try {
        await promise
      } finally {
        signal.removeEventListener('abort', leave)
      }
      return claimed(id)
    },
    async forConversation({ system, history, text }) {
      const derived = derivedSessionId(system, history.find(({ role }) => role === 'user')?.text ?? text)
      if (history.length === 0) {
        const fresh = await claimIf(derived, (stored) => stored === undefined || stored.length === 0)
        return fresh ?? make(newId(derived), [])
      }
      const print = fingerprint(system, history)
      const known = remembered.get(print)
      if (known !== undefined) {
        // Another request with the same history is another branch, so it must not find this session again.
        remembered.delete(print)
        const claim = tryClaim(known)
        if (claim) return claim
      }
      const found = await claimIf(derived, (stored) => stored !== undefined && isSameConversation(stored, history))
      return found ?? make(newId(derived), history.map(transcriptMessage))
    },
    seed,
    async continuing(known, history, freshId = newId('api')) {
      const found = known && (await claimIf(known.id, (stored) => stored?.length === known.messageCount))
      return found ?? make(freshId, history)
    },
    remember({ system, history, text }, answer, sessionId) {
      const said: TextMessage[] = [...history, { role: 'user', text }, { role: 'assistant', text: answer }]
      const print = fingerprint(system, said)
      remembered.delete(print)
      remembered.set(print, sessionId)
      const [oldest] = remembered.keys()
      if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest)
    },
  }
}

function newId(stem: string): string {
  return `${stem}-${randomBytes(8).toString('hex')}`
}

/** A text of a client's history as it is stored. */
export function transcriptMessage({ role, text }: TextMessage): TranscriptMessage {
  return role === 'user' ? { role, content: text } : { role, content: text, toolCalls: [], finishReason: 'stop' }
}

/** The id that a client gives a session. Throws `HttpError`. */
export function checkSessionId(id: string): string {
  // oxlint-disable-next-line no-control-regex
  if (!/^[^\u0000-\u001f\u007f]{1,256}$/.test(id) || !id.isWellFormed()) {
    throw new HttpError(400, 'invalid_session_id', 'A session id has 1 to 256 characters and no control characters.')
  }
  return id
}
