import type { AgentContext } from '@hermes/core/agent/context.ts'
import { createFileMemo } from '@hermes/core/storage/file-memo.ts'
import { channelsPath, readChannels, unlisted, writeChannels } from './channel-directory.ts'
import type { ChatSession, ChatSessions } from './chat-sessions.ts'
import { createUpstreamIndexWriter, indexWrittenAt, readUpstreamIndex } from './upstream-index.ts'

/** Changes are gathered so long before they are written, ms. */
const gatherMs = 500
/** Writing many chats takes longer: then so many times that, and at most so long, ms. */
const [restFactor, maxGatherMs] = [50, 10_000]

/** Keeps the files by which the other program, and people's tools, find the chats. */
export interface SessionMirror extends AsyncDisposable {
  /** A chat's session was used or is another one. */
  note(session: ChatSession): void
}

export function createSessionMirror(agent: Pick<AgentContext, 'home' | 'sessions' | 'clock' | 'log'>): SessionMirror {
  const { home, clock, log } = agent
  const index = createUpstreamIndexWriter(agent)
  const memo = createFileMemo()
  const changed = new Map<string, ChatSession>()
  let pauseMs = gatherMs
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()

  async function write(): Promise<void> {
    timer = undefined
    const chats = [...changed.values()]
    changed.clear()
    if (chats.length === 0) return
    const from = performance.now()
    try {
      await index.write(chats)
      const news = unlisted(chats, await listed())
      if (news.length > 0) await writeChannels(news, home, clock.now())
    } catch (error) {
      log.error({ error: String(error) }, 'the list of chats cannot be written')
    }
    pauseMs = Math.min(maxGatherMs, Math.max(gatherMs, restFactor * (performance.now() - from)))
  }

  /** As the file says now. */
  function listed() {
    return memo.of('channels', (watch) => {
      watch(channelsPath(home))
      return readChannels(home)
    })
  }
  return {
    note(session) {
      changed.set(session.sessionKey, session)
      timer ??= setTimeout(() => {
        writing = writing.then(write)
      }, pauseMs)
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await (writing = writing.then(write))
    },
  }
}

/** What is changed so long before the file is written may not stand in it yet, ms: gathered, and under way. */
const maxLateMs = 2 * maxGatherMs

/**
 * Takes over the chats that the other program has used since, and has noted what a crash of ours has kept from the file.
 */
export async function importChats(
  sessions: ChatSessions,
  mirror: Pick<SessionMirror, 'note'>,
  { home }: Pick<AgentContext, 'home'>,
): Promise<void> {
  const writtenAt = await indexWrittenAt(home)
  const listed = await readUpstreamIndex(home)
  const own = await sessions.all()
  const ownTimes = timesOf(own)
  for (const chat of listed) if (chat.updatedAt > (ownTimes.get(chat.sessionKey) ?? 0)) await sessions.adopt(chat)
  const times = timesOf(listed)
  for (const chat of own) {
    const isLate = chat.updatedAt >= writtenAt - maxLateMs
    if (isLate && chat.updatedAt > (times.get(chat.sessionKey) ?? 0)) mirror.note(chat)
  }
}

function timesOf(chats: readonly ChatSession[]): ReadonlyMap<string, number> {
  return new Map(chats.map(({ sessionKey, updatedAt }) => [sessionKey, updatedAt]))
}
