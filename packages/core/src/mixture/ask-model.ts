import { chargeCall } from '../agent/charge-call.ts'
import type { AgentContext } from '../agent/context.ts'
import { ModelError } from '../models/model-error.ts'
import type { ReasoningEffort, Usage } from '../models/model.ts'
import { retryDelayMs, sleep } from '../models/retry.ts'
import type { TranscriptMessage } from '../models/transcript.ts'

export interface ModelQuestion {
  /** As a person would name it, e.g. `openrouter:openai/gpt-5.4-pro`. */
  readonly model: string
  readonly messages: readonly TranscriptMessage[]
  readonly maxOutputTokens: number
  readonly reasoningEffort: ReasoningEffort
  /** The session whose counters the call is added to. */
  readonly sessionId: string
  readonly maxTries: number
}

/** One model's answer, with what it cost booked. Failures that pass are tried again. Throws `ModelError`. */
export async function askModel(
  question: ModelQuestion,
  context: Pick<AgentContext, 'home' | 'models' | 'sessions' | 'observer'>,
  signal: AbortSignal,
): Promise<string> {
  for (let tries = 1; ; tries++) {
    try {
      return await askOnce(question, context, signal)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelError) || !error.isTransient || tries >= question.maxTries) throw error
      await sleep(retryDelayMs(error, tries, Math.random), signal)
    }
  }
}

async function askOnce(
  { model: name, messages, maxOutputTokens, reasoningEffort, sessionId }: ModelQuestion,
  context: Pick<AgentContext, 'home' | 'models' | 'sessions' | 'observer'>,
  signal: AbortSignal,
): Promise<string> {
  const resolved = await context.models.resolve(name, signal)
  const { provider, model } = resolved
  let text = ''
  let usage: Usage | undefined
  const request = { model, messages, tools: [], maxOutputTokens, reasoningEffort, sessionId }
  for await (const event of provider.stream(request, signal)) {
    if (event.type === 'text-delta') text += event.text
    if (event.type === 'finish') usage = event.usage
  }
  signal.throwIfAborted()
  if (usage) await chargeCall(context, sessionId, resolved, usage)
  if (text.trim() === '') throw new ModelError('malformed-stream', `${name} gave no answer.`)
  return text.trim()
}
