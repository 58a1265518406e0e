import { configSchema } from '../../config/schema.ts'
import { silentLogger } from '../../log/logger.ts'
import type { ModelEvent, ModelRequest, ResolvedModel } from '../../models/model.ts'
import type { AssistantMessage, ToolMessage, TranscriptMessage, UserMessage } from '../../models/transcript.ts'
import { ContextMeter } from '../context-meter.ts'
import type { CompactionRequest } from '../context-engine.ts'

/** A compaction of a history in a window of 32,000 tokens, for tests; no model writes summaries unless one is given. */
export function testRequest(
  history: readonly TranscriptMessage[],
  changes: Partial<CompactionRequest> = {},
): CompactionRequest {
  const meter = new ContextMeter()
  const tokens = 1_000 + meter.messages(history)
  return {
    sessionId: 'session-1',
    history,
    tokens,
    fixedTokens: 1_000,
    contextLength: 32_000,
    thresholdTokens: 16_000,
    targetTokens: Math.floor(Math.min(tokens * 0.62, 12_800)),
    meter,
    settings: configSchema.parse({}).compression,
    focus: undefined,
    keep: '',
    todos: [],
    summariser: { models: async () => [], timeoutMs: 30_000 },
    log: silentLogger,
    ...changes,
  }
}

/** A model in the process that answers what `answer` says. */
export function testModel(
  answer: (request: ModelRequest, n: number) => string | Error,
  contextLength = 32_000,
): { readonly model: ResolvedModel; readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = []
  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const text = answer(request, requests.push(request) - 1)
    if (text instanceof Error) throw text
    yield { type: 'text-delta', text }
    yield { type: 'finish', reason: 'stop' }
  }
  return { model: { provider: { name: 'test', stream }, model: 'test-model', contextLength }, requests }
}

export const user = (content: string): UserMessage => ({ role: 'user', content })

export const said = (content: string, ...ids: readonly string[]): AssistantMessage => ({
  role: 'assistant',
  content,
  toolCalls: ids.map((id) => ({ id, name: 'read_file', arguments: `{"path":"${id}.txt"}` })),
})

export const result = (toolCallId: string, content = 'ok'): ToolMessage => ({
  role: 'tool',
  toolCallId,
  toolName: 'read_file',
  content,
})
