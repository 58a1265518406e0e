import type { AuxiliaryTask } from '../models/auxiliary.ts'
import { ModelError } from '../models/model-error.ts'
import type { ResolvedModel } from '../models/model.ts'
import { askAuxiliary } from './auxiliary.ts'
import type { AgentContext } from './context.ts'

/** Writes what something says with a side task's model. */
export interface SideWriter {
  /** Most of a text that one request takes, tokens. */
  readonly tokens: number
  /** What the model writes, without its thoughts; undefined where none could, and the log says why. */
  write(role: string, text: string): Promise<string | undefined>
}

export interface SideWriterOptions {
  readonly task: AuxiliaryTask
  readonly agent: Pick<AgentContext, 'config' | 'home' | 'models' | 'sessions' | 'log'>
  /** The model of the turn. */
  readonly main: ResolvedModel
  /** The session that asks: its counters get the tokens. */
  readonly sessionId: string
  /** Longest answer with what a model thinks before it. */
  readonly maxOutputTokens: number
}

/** Part of a window that a text may take beside the answer: the rest is for what the estimate is off by. */
const filledShare = 0.6
const minTokens = 500

/**
 * A writer within the smallest window of the task's models; undefined where no model can write. Its writing throws only
 * when `signal` aborts: its reason.
 */
export async function openSideWriter(
  { task, agent, main, sessionId, maxOutputTokens }: SideWriterOptions,
  signal: AbortSignal,
): Promise<SideWriter | undefined> {
  const asKnown = async <Result>(work: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ModelError)) throw error
      agent.log.warn({ task, code: error.code, error: error.message }, 'a side task wrote nothing')
      return undefined
    }
  }
  const models = await asKnown(() => agent.models.auxiliary(task, main, signal))
  if (!models || models.length === 0) return undefined
  const window = models.reduce((least, { contextLength }) => Math.min(least, contextLength), Infinity)
  const outputTokens = Math.min(maxOutputTokens, Math.floor(window / 4))
  return {
    tokens: Math.max(minTokens, Math.floor(window * filledShare) - outputTokens),
    write: (role, text) =>
      asKnown(async () => {
        const messages = [
          { role: 'system', content: role },
          { role: 'user', content: text },
        ] as const
        const call = { task, messages, maxOutputTokens: outputTokens, sessionId, main } as const
        const answer = withoutThoughts(await askAuxiliary(call, agent, signal))
        return answer === '' ? undefined : answer
      }),
  }
}

function withoutThoughts(answer: string): string {
  return answer.replaceAll(/<(think|thinking|reasoning)>[^]*?(?:<\/\1>|$)/g, '').trim()
}
