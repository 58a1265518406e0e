import { resolve } from 'node:path'
import { ModelError } from '../model-error.ts'
import type { ModelEvent, ModelInfo, ModelProvider, ModelRequest, Usage } from '../model.ts'
import { createAnswerReader } from '../openai-compatible/answer-reader.ts'
import { plainDialect } from '../openai-compatible/dialect.ts'
import { createCallLimit } from '../wire/call-limit.ts'
import { count, fields, text } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'
import type { Place } from '../wire/place.ts'
import { startAgent } from './agent-process.ts'
import { AcpRefusal, connectAcp } from './connection.ts'
import type { AcpConnection } from './connection.ts'
import type { AcpDialect } from './dialect.ts'
import { promptOf } from './prompt.ts'
import { createReplies } from './replies.ts'
import { modelToSwitchTo, modelsOf } from './session-models.ts'

export interface CopilotAcpOptions {
  readonly dialect: AcpDialect
  readonly place: Place
  /** How long an answer may take. Default 900 s. */
  readonly totalMs?: number
}

/**
 * GitHub Copilot's command line as a model, over the Agent Client Protocol (https://agentclientprotocol.com). It is an
 * agent of its own, so that each call is a fresh session which gets the transcript as its prompt; the tool calls of
 * Hermes stand in its text.
 */
export function createCopilotAcp({ place, totalMs = 900_000, ...options }: CopilotAcpOptions): ModelProvider {
  const dialect = { ...options.dialect, folder: resolve(options.dialect.folder) }
  /** Runs `use` with a session, within the limit. The program ends with it. */
  async function* withSession<T>(signal: AbortSignal, use: (session: Session) => AsyncGenerator<T>): AsyncGenerator<T> {
    const limit = AbortSignal.timeout(totalMs)
    try {
      await using process = await startAgent(dialect, AbortSignal.any([signal, limit]))
      yield* use(await openSession(connectAcp(process, createReplies(dialect)), dialect.folder))
    } catch (error) {
      signal.throwIfAborted()
      const late = `${place.label} did not finish within ${totalMs / 1000} s.`
      if (limit.aborted) throw new ModelError('timeout', late, { cause: error })
      throw error instanceof AcpRefusal ? asModelError(error, place) : error
    }
  }

  return {
    name: place.name,
    stream: (request, signal) => withSession(signal, (session) => answer(session, request, place)),
    models: async (signal) => {
      const listed = withSession(signal, async function* ({ opened }): AsyncGenerator<ModelInfo> {
        for (const { id } of modelsOf(opened)) yield { id }
      })
      return Array.fromAsync(listed)
    },
  }
}

interface Session {
  readonly connection: AcpConnection
  /** What the program said of the new session. */
  readonly opened: Fields
  readonly takesImages: boolean
}

async function openSession(connection: AcpConnection, folder: string): Promise<Session> {
  const capabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: false }
  const client = { name: 'hermes', title: 'Hermes', version: '1' }
  const started = await connection.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: capabilities,
    clientInfo: client,
  })
  if (started['protocolVersion'] !== 1) {
    throw new ModelError('not-configured', 'GitHub Copilot speaks another version of its protocol; update either.')
  }
  const opened = await connection.request('session/new', { cwd: folder, mcpServers: [] })
  const abilities = fields(fields(started['agentCapabilities'])?.['promptCapabilities'])
  return { connection, opened, takesImages: abilities?.['image'] === true }
}

async function* answer(
  { connection, opened, takesImages }: Session,
  request: ModelRequest,
  place: Place,
): AsyncGenerator<ModelEvent> {
  const model = modelToSwitchTo(request.model, modelsOf(opened))
  if (model) await connection.request(model.method, model.params)
  const reader = createAnswerReader({ ...plainDialect, inlineReasoning: false }, request.tools, createCallLimit(place))
  const prompt = promptOf(request, takesImages)
  const running = connection.exchange('session/prompt', { sessionId: opened['sessionId'], prompt })
  let step = await running.next()
  while (!step.done) {
    const event = step.value
    if (event.type === 'update') yield* reader.feed({ ...nothing, ...chunkOf(event.update) })
    else {
      const message = `GitHub Copilot wanted to use a tool of its own (${event.what}), which was refused: nobody can be asked for it.`
      yield { type: 'notice', code: 'invalid-request', message }
    }
    step = await running.next()
  }
  const reason = text(step.value['stopReason'])
  if (reason === 'cancelled') throw new ModelError('server', 'GitHub Copilot broke its answer off.')
  const finishReason = reasons.get(reason ?? '') ?? 'stop'
  const usage = usageOf(step.value)
  const last = [...reader.feed({ ...nothing, finishReason }), ...reader.end()]
  for (const event of last) yield event.type === 'finish' && usage ? { ...event, usage } : event
}

const nothing = {
  text: '',
  refusal: '',
  reasoning: '',
  reasoningDetails: [],
  calls: [],
  finishReason: undefined,
  usage: undefined,
  error: undefined,
} as const

/** What an update adds to the answer; its own tools, plans and modes add nothing. */
function chunkOf({ sessionUpdate, content }: Fields): { readonly text?: string; readonly reasoning?: string } {
  const said = text(fields(content)?.['text'])
  if (said === undefined) return {}
  if (sessionUpdate === 'agent_message_chunk') return { text: said }
  return sessionUpdate === 'agent_thought_chunk' ? { reasoning: said } : {}
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['max_tokens', 'length'],
  ['refusal', 'content_filter'],
])

/** The counts of the answer; most programs tell none. */
function usageOf(result: Fields): Usage | undefined {
  const told = fields(result['usage'])
  if (!told) return undefined
  return {
    inputTokens: count(told['inputTokens']),
    outputTokens: count(told['outputTokens']),
    cacheReadTokens: count(told['cachedReadTokens']),
    cacheWriteTokens: count(told['cachedWriteTokens']),
    reasoningTokens: count(told['thoughtTokens']),
  }
}

/** The protocol's code for "sign in first". */
const authRequired = -32000

function asModelError(error: AcpRefusal, { label }: Place): ModelError {
  const advice = error.code === authRequired ? ' Run "copilot" and sign in with /login.' : ''
  const message = `${label}: ${error.message}.${advice}`
  if (error.code === authRequired) return new ModelError('auth', message, { cause: error })
  const limited = /rate.?limit|quota|too many requests/i.test(error.message)
  return new ModelError(limited ? 'rate-limited' : 'server', message, { cause: error })
}
