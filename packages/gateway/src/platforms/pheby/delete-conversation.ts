import { setTimeout as wait } from 'node:timers/promises'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { sessionOf } from './conversation-view.ts'
import { sourceOf } from './pheby.ts'
import type { Pheby } from './pheby.ts'

/** Longest that a run is waited for that is to stop, and how often it is looked, ms. */
const [stopMs, lookMs] = [10_000, 20]

/** Most sessions that a conversation has come through by compaction. */
const maxAncestors = 1_000

/** Deletes a conversation: what runs is stopped, its sessions and its routing go. Attachments end by themselves. */
export async function deleteConversation(pheby: Pheby, id: string): Promise<void> {
  const { host, runs, conversations } = pheby
  const { chats } = host
  const key = host.sessionKey(sourceOf(id))
  // Nothing more is taken for it from here on; what is being taken becomes a run first.
  await conversations.remove(id)
  const isAlive = () => chats.lanes.isBusy(key) || runs.active(id)?.isAccepted === false
  for (let waited = 0; isAlive() && waited < stopMs; waited += lookMs) {
    chats.lanes.interrupt(key, 'The conversation was deleted.')
    await wait(lookMs)
  }
  const run = runs.active(id)
  if (run) runs.drop(run)
  const { session } = (await sessionOf(pheby, id)) ?? {}
  if (session) await removeSessions(session.id, chats.live.current)
  await chats.sessions.remove(key)
  await chats.settings.setModel(key, undefined)
  await chats.settings.setReasoning(key, undefined)
}

/** Removes a session and those that were compacted into it. */
async function removeSessions(
  sessionId: string,
  { sessions, scopes }: Pick<AgentContext, 'sessions' | 'scopes'>,
): Promise<void> {
  let next: string | undefined = sessionId
  for (let removed = 0; next !== undefined && removed < maxAncestors; removed++) {
    const session = await sessions.get(next)
    await scopes.close(next)
    await sessions.remove(next)
    const parent: string | undefined = session?.parentId
    next = parent !== undefined && (await sessions.get(parent))?.endReason === 'compression' ? parent : undefined
  }
}
