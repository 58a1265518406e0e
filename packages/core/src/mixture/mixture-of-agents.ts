// Several models answer the same question, and one makes the best answer of theirs: https://arxiv.org/abs/2406.04692
import type { AgentContext } from '../agent/context.ts'
import { ModelError } from '../models/model-error.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import { askModel } from './ask-model.ts'

/** The models that answer, and the one that joins their answers; all of them at OpenRouter. */
export const referenceModels: readonly string[] = [
  'anthropic/claude-opus-4.6',
  'google/gemini-3-pro-preview',
  'openai/gpt-5.4-pro',
  'deepseek/deepseek-v3.2',
]
export const aggregatorModel = 'anthropic/claude-opus-4.6'

const maxOutputTokens = 32_000
const maxTries = 6
/** Models that think long may take minutes. */
const timeoutMs = 20 * 60_000

const aggregatorPrompt = `Several models have answered the question of a user, independently of each other. Make one answer of theirs that is better than each: take what is right, settle where they contradict each other by thinking it through yourself, leave out what is wrong or not supported, and add what all of them overlook. An answer that most of them give may still be wrong. Write it for the user, complete and in one piece, without a word about the other answers.`

export interface Mixture {
  readonly response: string
  /** Those whose answers it is made of. */
  readonly answered: readonly string[]
  /** Why the others gave none. */
  readonly failures: readonly string[]
}

export interface MixtureQuestion {
  readonly prompt: string
  readonly sessionId: string
  readonly progress: (text: string) => void
}

/** Asks all models side by side and has their answers joined. One answer is enough. Throws `ModelError`. */
export async function mixtureOfAgents(
  { prompt, sessionId, progress }: MixtureQuestion,
  context: Pick<AgentContext, 'home' | 'models' | 'sessions'>,
  signal: AbortSignal,
): Promise<Mixture> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const limited = AbortSignal.any([signal, timeout])
  const ask = (model: string, messages: readonly TranscriptMessage[]) =>
    askModel(
      { model: `openrouter:${model}`, messages, maxOutputTokens, maxTries, reasoningEffort: 'xhigh', sessionId },
      context,
      limited,
    )
  try {
    let done = 0
    const outcomes = await Promise.allSettled(
      referenceModels.map(async (model) => {
        const text = await ask(model, [{ role: 'user', content: prompt }])
        done++
        progress(`${done} of ${referenceModels.length} models have answered`)
        return { model, text }
      }),
    )
    limited.throwIfAborted()
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    const failures = outcomes.flatMap((outcome, at) =>
      outcome.status === 'rejected' ? [`${referenceModels[at]}: ${reasonOf(outcome.reason)}`] : [],
    )
    if (answers.length === 0) throw new ModelError('server', `No model answered. ${failures.join('; ')}`)
    progress('Making one answer of theirs')
    const listed = answers.map(({ text }, at) => `## Answer ${at + 1}\n\n${text}`).join('\n\n')
    const response = await ask(aggregatorModel, [
      { role: 'system', content: `${aggregatorPrompt}\n\n${listed}` },
      { role: 'user', content: prompt },
    ])
    return { response, answered: answers.map(({ model }) => model), failures }
  } catch (error) {
    signal.throwIfAborted()
    if (!timeout.aborted) throw error
    throw new ModelError('timeout', `The models were not done within ${timeoutMs / 60_000} minutes.`, { cause: error })
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ModelError) return error.message
  throw error
}
