import type { AgentContext } from '../agent/context.ts'
import type { TurnRequest } from '../agent/turn.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { BuiltBlock, PromptNotice } from './blocks/block.ts'
import { callTime } from './call-time.ts'
import { buildSystemPrompt } from './system-prompt.ts'
import { requestSchemas } from '../tools/tool-source.ts'
import { estimateMessageTokens, estimateTextTokens, estimateToolTokens } from './token-estimate.ts'

/** A part of what a request sends. */
export interface ContextPart {
  readonly group: 'prompt' | 'tools' | 'conversation'
  readonly name: string
  /** What it is, for people. */
  readonly about: string
  /** Estimated. */
  readonly tokens: number
  /** Of a part of the prompt. */
  readonly text?: string
}

/** What the next request of a session sends, part by part. */
export interface ContextReport {
  readonly parts: readonly ContextPart[]
  /** Sum of the parts. */
  readonly tokens: number
  /** `provider/model`. */
  readonly model: string
  /** Context window of the model, tokens. */
  readonly contextLength: number
  readonly notices: readonly PromptNotice[]
}

/** How the session's turns are asked for. */
export type ReportRequest = Pick<
  TurnRequest,
  'session' | 'face' | 'model' | 'toolsets' | 'instructions' | 'minimalPrompt'
>

/** Measures what the next request would send. Throws `ModelError` where no model can be found. */
export async function contextReport(
  request: ReportRequest,
  context: AgentContext,
  signal: AbortSignal,
): Promise<ContextReport> {
  const { sessions, config } = context
  const session = await sessions.get(request.session.id)
  const model = await context.models.resolve(request.model, signal)
  const tools = await context.tools.load(request.toolsets ?? config.platform_toolsets?.[request.face.name])
  const scope = context.scopes.get(request.session.id)
  const built = await buildSystemPrompt({ context, sessionId: request.session.id, request, tools, model, scope })
  const { systemPrompt, prefill, notices } = await callTime('', context, request)
  const history = (await sessions.messages(request.session.id)).map(({ message }) => message)
  const schemas = requestSchemas(tools)
  const parts: readonly ContextPart[] = [
    ...promptParts(session?.systemPrompt ? frozenBlocks(session.systemPrompt, built.blocks) : built.blocks),
    ...promptParts([
      { name: 'instructions', about: 'a personality, or agent.system_prompt', text: systemPrompt.trim() },
    ]),
    ...schemas.map((schema): ContextPart => {
      return { group: 'tools', name: schema.name, about: '', tokens: estimateToolTokens([schema]) }
    }),
    messagePart('prefill', 'prefill messages', prefill),
    messagePart(
      'user',
      'what you said, and what is attached to it',
      history.filter(({ role }) => role === 'user'),
    ),
    messagePart(
      'assistant',
      'answers and calls of tools',
      history.filter(({ role }) => role === 'assistant'),
    ),
    messagePart(
      'results',
      'results of tools',
      history.filter(({ role }) => role === 'tool'),
    ),
  ].filter(({ tokens }) => tokens > 0)
  return {
    parts,
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    model: `${model.provider.name}/${model.model}`,
    contextLength: model.contextLength,
    notices: session?.systemPrompt ? [] : [...built.notices, ...notices],
  }
}

/** The prompt that a session has, in the blocks of today as far as they are still in it word for word. */
function frozenBlocks(frozen: string, blocks: readonly BuiltBlock[]): readonly BuiltBlock[] {
  const kept: BuiltBlock[] = []
  let rest = frozen
  for (const block of blocks) {
    if (!rest.includes(block.text)) continue
    kept.push(block)
    rest = rest.replace(block.text, () => '')
  }
  const other = { name: 'earlier', about: 'as it was when the session began', text: rest.trim() }
  return [...kept, other]
}

function promptParts(blocks: readonly BuiltBlock[]): readonly ContextPart[] {
  return blocks.map(({ name, about, text }) => {
    return { group: 'prompt', name, about, tokens: estimateTextTokens(text), text }
  })
}

function messagePart(name: string, about: string, messages: readonly TranscriptMessage[]): ContextPart {
  const tokens = messages.reduce((sum, message) => sum + estimateMessageTokens(message), 0)
  return { group: 'conversation', name, about, tokens }
}
