import type { AgentContext } from '@hermes/core/agent/context.ts'
import { nobody } from '@hermes/core/agent/decision.ts'
import type { Database } from '@hermes/core/storage/database.ts'
import type { ChatSession, ChatSessions } from './chat-sessions.ts'
import { resetPolicyOf, resetReason } from './reset-policy.ts'

/** When it is first looked, and how often, ms. */
const [firstMs, everyMs] = [60_000, 300_000]

/** Tries of one session. */
const maxFailures = 3

/** Longest that one session is looked through, ms. */
const saveMs = 300_000

export interface ExpiryOptions {
  readonly db: Database
  readonly sessions: ChatSessions
  readonly agent: () => AgentContext
}

/** What should stay of sessions that are over by their policy is written down, once each. */
export interface ExpiryWatcher extends AsyncDisposable {
  /** Looks now. Resolves to how many were dealt with. */
  sweep(): Promise<number>
}

export function watchExpiry({ db, sessions, agent }: ExpiryOptions): ExpiryWatcher {
  const ending = new AbortController()
  let running: Promise<unknown> = Promise.resolve()

  async function sweep(): Promise<number> {
    let done = 0
    for (const chat of await sessions.all()) {
      if (ending.signal.aborted) break
      if (!isOver(chat, agent()) || (await failuresOf(db, chat.sessionId)) >= maxFailures) continue
      await keep(chat)
      done++
    }
    return done
  }

  async function keep({ sessionId, source }: ChatSession): Promise<void> {
    const { saveSession } = await import('@hermes/core/agent/save-session.ts')
    const { platform } = source
    const turn = { session: { id: sessionId, source: platform }, face: { name: platform, decide: nobody } }
    try {
      await saveSession({ turn }, agent(), AbortSignal.any([ending.signal, AbortSignal.timeout(saveMs)]))
      await note(db, sessionId, maxFailures)
    } catch (error) {
      if (ending.signal.aborted) return
      agent().log.warn({ session: sessionId, error: String(error) }, 'a session that is over was not looked through')
      await note(db, sessionId, (await failuresOf(db, sessionId)) + 1)
    }
  }

  const look = () => {
    running = sweep().catch((error: unknown) => agent().log.error({ error: String(error) }, 'sessions cannot be read'))
  }
  const first = setTimeout(look, firstMs).unref()
  const timer = setInterval(look, everyMs).unref()
  return {
    sweep,
    async [Symbol.asyncDispose]() {
      clearTimeout(first)
      clearInterval(timer)
      ending.abort(new DOMException('The gateway stops.', 'AbortError'))
      await running
    },
  }
}

function isOver({ sessionId, updatedAt, source }: ChatSession, { config, clock, scopes }: AgentContext): boolean {
  if (resetReason(resetPolicyOf(config, source.platform, source.chatType), updatedAt, clock) === undefined) return false
  const scope = scopes.get(sessionId)
  return !scope.turnRunning && scope.processes.running === 0
}

/** How often it failed; as often as it is tried where it is done. */
function failuresOf(db: Database, sessionId: string): Promise<number> {
  return db.read(() => {
    const row = db.prepare('SELECT failures FROM kept_sessions WHERE session_id = ?').get(sessionId)
    return Number(row?.['failures'] ?? 0)
  })
}

function note(db: Database, sessionId: string, failures: number): Promise<unknown> {
  return db.write(() =>
    db
      .prepare(
        `INSERT INTO kept_sessions (session_id, failures) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET failures = excluded.failures`,
      )
      .run(sessionId, failures),
  )
}
