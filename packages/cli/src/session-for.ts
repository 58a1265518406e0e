import { newSessionId } from '@hermes/core/sessions/session-id.ts'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { SessionRef } from '@hermes/core/agent/turn.ts'
import type { ChatOptions } from './chat-options.ts'
import { CommandError } from './command.ts'

/**
 * The session that the flags ask for: a new one, the last one, or a named one, reopened; where it was compacted, the one
 * that carries it on. Throws `CommandError`.
 */
export async function sessionFor(
  { resume, sessionSource }: Pick<ChatOptions, 'resume' | 'sessionSource'>,
  { sessions, clock }: Pick<AgentContext, 'sessions' | 'clock'>,
): Promise<SessionRef> {
  if (resume === undefined) return { id: newSessionId(clock), source: sessionSource }
  const named = resume === '' ? await sessions.latest(sessionSource) : await sessions.resolve(resume)
  const found = named && (await sessions.carriedOnBy(named.id))
  if (!found) {
    throw resume === '' ? new CommandError('There is no earlier session to go on with.') : noSuchSession(resume)
  }
  if (found.endedAt !== undefined) await sessions.reopen(found.id)
  return { id: found.id, source: found.source }
}

/** The error for a name that means no session, or more than one. */
export function noSuchSession(name: string): CommandError {
  return new CommandError(
    `No single session matches "${name}": name an id, the beginning of one id alone, or a title. ` +
      '"hermes sessions list --all" shows them.',
  )
}
