import type { Config } from '../config/schema.ts'
import { modelReference } from '../models/model-reference.ts'
import { ModelError } from '../models/model-error.ts'
import type { ResolvedModel, Usage } from '../models/model.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { AgentContext } from './context.ts'

/** A side task that a model does for the agent; each has its settings in `auxiliary.<task>`. */
export type AuxiliaryTask = keyof Config['auxiliary']

/** One side call. */
export interface AuxiliaryRequest {
  readonly task: AuxiliaryTask
  /** Well formed; a system message, if there is one, comes first. */
  readonly messages: readonly TranscriptMessage[]
  readonly maxOutputTokens?: number
  /** The session whose counters the call is added to. */
  readonly sessionId: string
  /** The model of the turn: what `auto` and `main` mean. */
  readonly main: ResolvedModel
}

/**
 * Asks the side task's model and resolves to what it says, however little. Takes at most `auxiliary.<task>.timeout`.
 * Throws `ModelError`; when `signal` aborts, its reason. Tries once: the caller knows whether again is worth it.
 */
export async function askAuxiliary(
  request: AuxiliaryRequest,
  context: Pick<AgentContext, 'config' | 'models' | 'sessions'>,
  signal: AbortSignal,
): Promise<string> {
  const { task, messages, maxOutputTokens, sessionId } = request
  const timeout = AbortSignal.timeout(context.config.auxiliary[task].timeout * 1000)
  const limited = AbortSignal.any([signal, timeout])
  try {
    const model = await auxiliaryModel(request, context, limited)
    const call = { model: model.model, messages, tools: [], maxOutputTokens, sessionId }
    let text = ''
    let usage: Usage | undefined
    for await (const event of model.provider.stream(call, limited)) {
      if (event.type === 'text-delta') text += event.text
      if (event.type === 'finish') usage = event.usage
    }
    limited.throwIfAborted()
    if (usage) {
      await context.sessions.addUsage(sessionId, {
        usage,
        model: model.model,
        billingProvider: model.provider.name,
        billingBaseUrl: model.baseUrl,
      })
    }
    return text
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) throw new ModelError('timeout', `The model for ${task} took too long.`, { cause: error })
    throw error
  }
}

/** The model of a side task: as its settings say, else the turn's own. Throws `ModelError` where that cannot write. */
export async function auxiliaryModel(
  { task, main }: Pick<AuxiliaryRequest, 'task' | 'main'>,
  { config, models }: Pick<AgentContext, 'config' | 'models'>,
  signal: AbortSignal,
): Promise<ResolvedModel> {
  const settings = config.auxiliary[task]
  if (settings.base_url !== '') {
    // Falling back to another place would send the text where the person does not want it.
    const message = `auxiliary.${task}.base_url is not there yet (not_implemented): name the endpoint in custom_providers, and its name in auxiliary.${task}.provider.`
    throw new ModelError('not-configured', message)
  }
  const isMain = settings.provider === '' || settings.provider === 'auto' || settings.provider === 'main'
  const provider = isMain ? main.provider.name : settings.provider
  const model =
    isMain && settings.model === '' ? main : await models.resolve(modelReference(provider, settings.model), signal)
  if (model.provider.isInterpreter) throw new ModelError('not-configured', `There is no language model for ${task}.`)
  return model
}
