import type { AgentContext } from '@hermes/core/agent/context.ts'
import { fileState } from '@hermes/core/storage/file-state.ts'
import type { ChatSession, ChatSessions } from './chat-sessions.ts'

/** Sessions of which is remembered that they were looked for. */
const maxLooked = 5_000

/**
 * The same sessions of chats. One whose messages are not in the store, but in a file of an older home of upstream's
 * (`sessions/<id>.jsonl`), is taken over when its chat goes on. What of the file cannot be read is told in the log.
 */
export function withOlderTranscripts(sessions: ChatSessions, agent: () => AgentContext): ChatSessions {
  const looked = new Map<string, Promise<void>>()
  return {
    ...sessions,
    async find(sessionKey) {
      const chat = await sessions.find(sessionKey)
      if (!chat) return undefined
      const { sessionId } = chat
      const looking = looked.get(sessionId) ?? takeOver(chat, agent())
      if (looked.size >= maxLooked) looked.clear()
      looked.set(sessionId, looking)
      try {
        await looking
      } catch (error) {
        // Its chat must not go on without it: it is tried again.
        looked.delete(sessionId)
        throw error
      }
      return chat
    },
  }
}

async function takeOver({ sessionId: id, source }: ChatSession, agent: AgentContext): Promise<void> {
  const { home, sessions, clock } = agent
  const log = agent.log.child({ name: 'gateway' })
  // Whoever writes the list of chats does not say which file is read.
  if (!/^\w[\w.-]*$/.test(id)) return
  const path = home.path('sessions', `${id}.jsonl`)
  if (!fileState(path) || ((await sessions.get(id))?.messageCount ?? 0) > 0) return
  const { readUpstreamTranscript } = await import('@hermes/core/sessions/upstream-transcript.ts')
  const read = await readUpstreamTranscript(path, clock.now()).catch((error: unknown) => {
    log.error({ session: id, error: String(error) }, 'the file of an older conversation cannot be read')
    return undefined
  })
  if (!read) return
  const { messages, model, damaged, isCut } = read
  const isTaken = await sessions.adopt({
    id,
    source: source.platform,
    ...(source.userId !== undefined && { userId: source.userId }),
    ...(model !== undefined && { model }),
    startedAt: messages[0]?.timestamp ?? clock.now(),
    messages,
  })
  if (isTaken)
    log.info({ session: id, messages: messages.length }, 'an older conversation was taken over from its file')
  if (damaged > 0) log.warn({ session: id, lines: damaged }, 'lines of an older conversation cannot be read')
  if (isCut) log.warn({ session: id }, 'an older conversation is too long: its beginning stays in its file')
}
