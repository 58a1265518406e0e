import type {
  CreateMessageRequestParams,
  CreateMessageResultWithTools,
  SamplingMessageContentBlock,
} from '@modelcontextprotocol/client'
import { chargeCall } from '../../agent/charge-call.ts'
import type { ModelRequest, ResolvedModel, Usage } from '../../models/model.ts'
import type { ToolCall } from '../../models/transcript.ts'
import type { ToolContext } from '../../tools/tool.ts'
import type { ActiveCalls } from '../active-calls.ts'
import type { ServerSettings } from '../settings.ts'
import type { SamplingLimits } from './sampling-limits.ts'
import { samplingTranscript } from './sampling-messages.ts'

export interface SamplingOptions {
  readonly server: string
  readonly settings: ServerSettings['sampling']
  readonly limits: SamplingLimits
  readonly calls: ActiveCalls
  readonly signal: AbortSignal
}

/**
 * Asks a model for a server, in the name of the call that it works on: the side task `mcp`, or the model that its
 * settings name or allow. Throws, with the reason for the server, what is past the limits.
 */
export async function sample(
  params: CreateMessageRequestParams,
  { server, settings, limits, calls, signal }: SamplingOptions,
): Promise<CreateMessageResultWithTools> {
  const call = calls.latest()
  if (!call) throw new Error('a model is only asked while a tool of this server runs')
  const refusal = limits.refusal()
  if (refusal !== undefined) throw new Error(refusal)
  const { context } = call
  const timeout = AbortSignal.timeout(settings.timeout * 1000)
  const ending = AbortSignal.any([signal, context.signal, timeout])
  context.progress(`${server} asks a model`)
  try {
    const wanted = limits.modelFor(params.modelPreferences?.hints?.[0]?.name)
    const model = await modelOf(wanted, context, ending)
    const maxOutputTokens = Math.min(params.maxTokens, settings.max_tokens_cap)
    const request: ModelRequest = {
      model: model.model,
      messages: samplingTranscript(params.messages, params.systemPrompt),
      tools: (params.tools ?? []).map(({ name, description = '', inputSchema }) => {
        return { name, description, parameters: inputSchema }
      }),
      ...(params.toolChoice?.mode === 'none' && { toolChoice: 'none' }),
      maxOutputTokens,
      sessionId: context.session.sessionId,
    }
    const answer = await answerOf(request, model, context, ending)
    if (!limits.allowsToolRound(answer.toolCalls.length > 0)) {
      throw new Error(`more than ${settings.max_tool_rounds} rounds of tools in a row`)
    }
    return resultOf(answer, model, context)
  } catch (error) {
    if (timeout.aborted) throw new Error(`no model answered within ${settings.timeout} s`, { cause: error })
    throw error
  }
}

async function modelOf(wanted: string | undefined, { agent, turn }: ToolContext, signal: AbortSignal) {
  if (wanted !== undefined) return agent.models.resolve(wanted, signal)
  const [model] = await agent.models.auxiliary('mcp', turn.model, signal)
  if (!model) throw new Error('there is no language model to ask')
  return model
}

interface Answer {
  readonly text: string
  readonly toolCalls: readonly ToolCall[]
  readonly reason: string
}

async function answerOf(
  request: ModelRequest,
  model: ResolvedModel,
  { agent, session }: ToolContext,
  signal: AbortSignal,
): Promise<Answer> {
  let text = ''
  let reason = 'stop'
  let usage: Usage | undefined
  const toolCalls: ToolCall[] = []
  for await (const event of model.provider.stream(request, signal)) {
    if (event.type === 'text-delta') text += event.text
    if (event.type === 'tool-call') toolCalls.push(event.call)
    if (event.type === 'finish') ({ reason, usage } = event)
  }
  signal.throwIfAborted()
  if (usage) await chargeCall(agent, session.sessionId, model, usage)
  return { text, toolCalls, reason }
}

const stopReasons: Readonly<Record<string, string>> = { stop: 'endTurn', length: 'maxTokens', tool_calls: 'toolUse' }

/** The server is a third party: what it reads has no secrets in it. */
function resultOf(
  { text, toolCalls, reason }: Answer,
  model: ResolvedModel,
  { agent: { redactor } }: ToolContext,
): CreateMessageResultWithTools {
  const said: SamplingMessageContentBlock = { type: 'text', text: redactor.redact(text) }
  const uses = toolCalls.map((call): SamplingMessageContentBlock => {
    return { type: 'tool_use', id: call.id, name: call.name, input: inputOf(call) }
  })
  const content = uses.length === 0 ? said : text === '' ? uses : [said, ...uses]
  const stopReason = stopReasons[reason] ?? reason
  return { role: 'assistant', model: `${model.provider.name}/${model.model}`, content, stopReason }
}

function inputOf(call: ToolCall): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(call.arguments)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
