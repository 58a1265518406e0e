import type { ResolvedModel } from '../models/model.ts'
import { fixedKey } from '../models/keys/keys.ts'
import type { HttpClient } from '../models/net/http-client.ts'
import { plainDialect } from '../models/openai-compatible/dialect.ts'
import { createOpenAiCompatible } from '../models/openai-compatible/index.ts'
import { silentLogger } from '../log/logger.ts'
import { newSession } from '../sessions/session-table.ts'
import type { SessionStore } from '../sessions/store.ts'
import type { AgentContext } from './context.ts'
import type { TurnStatus } from './events.ts'
import { runTurn } from './run-turn.ts'
import type { TurnRequest } from './turn.ts'

/**
 * Runs a turn that nobody sees, so that the first one that somebody waits for finds its code compiled, its tools measured
 * and the files of its prompt read. A model that is not there answers; nothing is stored, logged or counted, and nobody is
 * asked. The request's session must not exist, and is closed when this resolves to how the turn ended.
 */
export async function rehearseTurn(
  request: TurnRequest,
  agent: AgentContext,
  signal: AbortSignal,
): Promise<TurnStatus> {
  let status: TurnStatus = 'cancelled'
  try {
    for await (const event of runTurn(request, unseen(agent), signal)) {
      if (event.type === 'turn-end') status = event.status
    }
    return status
  } finally {
    await agent.scopes.close(request.session.id)
  }
}

function unseen(agent: AgentContext): AgentContext {
  const { home, config, environment, clock, redactor, memory, tools, scopes, fileMemo } = agent
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
    log: silentLogger,
    models: { ...agent.models, resolve: async () => noModel(), auxiliary: async () => [] },
    sessions: keepingNothing(agent),
  }
}

/** The profile's sessions; what is written to them is forgotten. */
function keepingNothing({ sessions, clock }: AgentContext): SessionStore {
  return {
    ...sessions,
    create: async (session) => newSession(session.id ?? '', session, clock.now()),
    append: async () => 0,
    setSystemPrompt: async () => {},
    suggestTitle: async () => undefined,
    addUsage: async () => {},
    end: async () => {},
  }
}

/** Answers over the wire that most providers speak, whose other end is here. */
function noModel(): ResolvedModel {
  const http: HttpClient = {
    send: async () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: answer(),
      progress() {},
      release() {},
    }),
  }
  const limits = () => ({ connectMs: 1_000, silenceMs: 1_000, progressMs: 1_000, totalMs: 1_000 })
  const place = { name: 'none', label: 'None', baseUrl: 'http://127.0.0.1', keyHint: '', isLocal: true, limits }
  const provider = createOpenAiCompatible({ dialect: plainDialect, place, keys: fixedKey(undefined), http })
  return { model: 'none', provider, contextLength: 128_000 }
}

async function* answer(): AsyncGenerator<Uint8Array> {
  const pieces = [{ content: 'Here' }, { content: ' I am.' }].map((delta) => ({ choices: [{ index: 0, delta }] }))
  const end = {
    choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
  for (const piece of [...pieces, end]) yield Buffer.from(`data: ${JSON.stringify(piece)}\n\n`)
  yield Buffer.from('data: [DONE]\n\n')
}
