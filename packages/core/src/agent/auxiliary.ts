import { maxAnswerLength, tooLongAnswer } from '../models/answer-length.ts'
import type { AuxiliaryTask } from '../models/auxiliary.ts'
import { ModelError } from '../models/model-error.ts'
import type { ResolvedModel, Usage } from '../models/model.ts'
import { recoveryOf } from '../models/recovery.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import { chargeCall } from './charge-call.ts'
import type { AgentContext } from './context.ts'

/** One side call. */
export interface AuxiliaryRequest {
  readonly task: AuxiliaryTask
  /** Well formed; a system message, if there is one, comes first. */
  readonly messages: readonly TranscriptMessage[]
  readonly maxOutputTokens?: number
  /** The session whose counters the call is added to; absent: it belongs to none. */
  readonly sessionId?: string
  /** The model of the turn: what `main` means, and where `auto` begins. */
  readonly main: ResolvedModel
}

type SideContext = Pick<AgentContext, 'config' | 'home' | 'models' | 'sessions' | 'observer'>

/**
 * Asks a side task's model and resolves to what it says, however little. Each model is asked once; the next one where
 * that fails for a reason of its own. Takes at most `auxiliary.<task>.timeout`. Throws `ModelError`; when `signal` aborts,
 * its reason.
 */
export async function askAuxiliary(
  request: AuxiliaryRequest,
  context: SideContext,
  signal: AbortSignal,
): Promise<string> {
  const { task, main } = request
  const timeout = AbortSignal.timeout(context.config.auxiliary[task].timeout * 1000)
  const limited = AbortSignal.any([signal, timeout])
  try {
    const models = await context.models.auxiliary(task, main, limited)
    for (const [at, model] of models.entries()) {
      try {
        return await ask(model, request, context, limited)
      } catch (error) {
        const isLast = at === models.length - 1
        if (limited.aborted || isLast || !(error instanceof ModelError) || !isItsOwn(error)) throw error
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) throw new ModelError('timeout', `The model for ${task} took too long.`, { cause: error })
    throw error
  }
  throw new ModelError('not-configured', `There is no language model for ${task}: set auxiliary.${task}.`)
}

/** Whether another model may do better: as in a turn where nothing is waited for. */
export function isItsOwn(failure: ModelError): boolean {
  const attempts = { failures: Infinity, hasFallback: true, maxOutputTokens: undefined, hasShrunk: true }
  return recoveryOf(failure, attempts).type === 'fall-back'
}

async function ask(
  model: ResolvedModel,
  { messages, maxOutputTokens, sessionId }: AuxiliaryRequest,
  context: SideContext,
  signal: AbortSignal,
): Promise<string> {
  const call = {
    model: model.model,
    messages,
    tools: [],
    maxOutputTokens,
    ...(sessionId !== undefined && { sessionId }),
  }
  let text = ''
  let usage: Usage | undefined
  for await (const event of model.provider.stream(call, signal)) {
    if (event.type === 'text-delta') text += event.text
    if (text.length > maxAnswerLength) throw tooLongAnswer(model)
    if (event.type === 'finish') usage = event.usage
  }
  signal.throwIfAborted()
  if (usage && sessionId !== undefined) await chargeCall(context, sessionId, model, usage)
  return text
}
