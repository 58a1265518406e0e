import { silentLogger } from '../log/logger.ts'
import type { Models } from '../models/model.ts'
import { newSession } from '../sessions/session-table.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { AgentContext } from './context.ts'

/**
 * The same agent for turns that nobody sees, so that the first one that somebody waits for finds its code compiled, its
 * tools measured and the files of its prompt read. `models` answer; nothing is stored, logged or counted, and nobody is
 * asked. Its sessions must not exist; whoever runs turns in them closes their scopes.
 */
export function unseenAgent(agent: AgentContext, models: Models): AgentContext {
  const { home, config, environment, clock, redactor, memory, tools, scopes, fileMemo, promptMemo } = agent
  return {
    home,
    config,
    environment,
    clock,
    redactor,
    memory,
    tools,
    scopes,
    ...(fileMemo && { fileMemo }),
    ...(promptMemo && { promptMemo }),
    log: silentLogger,
    models: { ...models, auxiliary: async () => [] },
    sessions: keepingNothing(agent),
  }
}

/** The profile's sessions; what is written to them is forgotten. */
function keepingNothing({ sessions, clock }: AgentContext): SessionStore {
  return {
    ...sessions,
    create: async (session) => newSession(session.id ?? '', session, clock.now()),
    adopt: async () => false,
    append: async () => 0,
    setSystemPrompt: async () => {},
    suggestTitle: async () => undefined,
    addUsage: async () => {},
    end: async () => {},
  }
}
