import { maxAnswerLength, tooLongAnswer } from '../../models/answer-length.ts'
import { ModelError } from '../../models/model-error.ts'
import { noUsage } from '../../models/model.ts'
import type { ModelRequest, ResolvedModel, Usage } from '../../models/model.ts'
import type { TranscriptMessage } from '../../models/transcript.ts'
import type { CompactionRequest, ModelSpending, Summariser, SummaryProblem } from '../context-engine.ts'
import { looksLikeSummary, summariserRole, summaryPrompt, transcriptTexts } from './summary-prompt.ts'

/** Longest text of a message that is summarised whole, characters. */
const fullChars = 6_000

/** Shortest that texts are cut to so that a long conversation is summarised in few calls. */
const leastChars = 200

/** Calls that one summary may take: each brings the summary up to date with some more messages. */
const maxCalls = 6

/** Models that are tried. */
const maxModels = 3

/** Room for what a model thinks before it writes. */
const thinkingTokens = 4_096

/** What instructions and their frame take of a call. */
const frameTokens = 900

/** Part of a window that is filled: the rest is for what the estimate is off by. */
const filledShare = 0.85

const wordsPerToken = 0.65

export interface SummaryTask {
  readonly request: Pick<CompactionRequest, 'focus' | 'keep' | 'meter' | 'summariser' | 'log'>
  readonly previous: string | undefined
  readonly messages: readonly TranscriptMessage[]
  /** Tokens that the model is asked to keep to, and that it may not exceed. */
  readonly wantedTokens: number
  readonly maxTokens: number
}

export interface WrittenSummary {
  /** Undefined when no model wrote one. */
  readonly text: string | undefined
  /** Why not; also undefined when none was to be asked. */
  readonly problem: SummaryProblem | undefined
  readonly spent: readonly ModelSpending[]
}

/** Has a model write the summary; the next one is tried where one fails. When `signal` aborts, throws its reason. */
export async function writeSummary(task: SummaryTask, signal: AbortSignal): Promise<WrittenSummary> {
  const { summariser, log } = task.request
  const spent: ModelSpending[] = []
  let problem: SummaryProblem | undefined
  for (const model of await modelsOf(summariser, signal)) {
    const attempt = 'code' in model ? model : await attemptWith(model, task, spent, signal)
    if (typeof attempt === 'string') return { text: attempt, problem: undefined, spent }
    log.warn({ code: attempt.code, error: attempt.message }, 'no summary')
    problem = attempt
    // Whoever waits has waited long enough.
    if (attempt.code === 'timeout') break
  }
  return { text: undefined, problem, spent }
}

/** The models to try, or why there are none. */
async function modelsOf(
  summariser: Summariser,
  signal: AbortSignal,
): Promise<readonly (ResolvedModel | SummaryProblem)[]> {
  try {
    return (await summariser.models(signal)).slice(0, maxModels)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelError) return [{ code: 'failed', message: error.message }]
    throw error
  }
}

async function attemptWith(
  model: ResolvedModel,
  task: SummaryTask,
  spent: ModelSpending[],
  signal: AbortSignal,
): Promise<string | SummaryProblem> {
  const outputTokens = Math.min(
    2 * task.wantedTokens + thinkingTokens,
    Math.floor(model.contextLength / 3),
    model.maxOutputTokens ?? Infinity,
  )
  const parts = inParts(task, model.contextLength * filledShare - outputTokens - frameTokens)
  if (!parts) return { code: 'too-long', message: `The conversation is too long for ${model.model} to summarise.` }
  let summary = task.previous
  for (const transcript of parts) {
    const prompt = {
      previous: summary,
      transcript,
      words: Math.floor(task.wantedTokens * wordsPerToken),
      focus: task.request.focus,
      keep: task.request.keep,
    }
    const { timeoutMs } = task.request.summariser
    const written = await call({ model, prompt: summaryPrompt(prompt), outputTokens, timeoutMs }, spent, signal)
    if (typeof written !== 'string') return written
    if (task.request.meter.text(written) > task.maxTokens) {
      return { code: 'too-long', message: `The summary of ${model.model} is longer than it was allowed to be.` }
    }
    summary = written
  }
  return summary ?? ''
}

/** The transcript in as many pieces as calls are needed, or undefined when it would take too many. */
function inParts({ messages, previous, request, maxTokens }: SummaryTask, windowTokens: number): string[] | undefined {
  const { meter } = request
  // From the second part on, the summary so far is what the first ones came to.
  const partTokens = windowTokens - Math.max(previous === undefined ? 0 : meter.text(previous), maxTokens)
  if (partTokens < frameTokens) return undefined
  for (let chars = fullChars; chars >= leastChars; chars /= 2) {
    const parts = packed(transcriptTexts(messages, chars), partTokens, (text) => meter.text(text))
    if (parts.length <= maxCalls) return parts
  }
  return undefined
}

/** Texts put together as long as they fit; one that fits nowhere stands alone, cut. */
function packed(texts: readonly string[], maxTokens: number, tokensOf: (text: string) => number): string[] {
  const parts: string[][] = []
  let room = 0
  for (const text of texts) {
    const tokens = tokensOf(text) + 2
    if (tokens > room || parts.length === 0) {
      parts.push([])
      room = maxTokens
    }
    parts.at(-1)?.push(tokens > room ? text.slice(0, Math.floor((text.length * room) / tokens)).toWellFormed() : text)
    room -= tokens
  }
  return parts.map((part) => part.join('\n\n'))
}

interface SummaryCall {
  readonly model: ResolvedModel
  readonly prompt: string
  readonly outputTokens: number
  readonly timeoutMs: number
}

async function call(
  { model, prompt, outputTokens: maxOutputTokens, timeoutMs }: SummaryCall,
  spent: ModelSpending[],
  signal: AbortSignal,
): Promise<string | SummaryProblem> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const request: ModelRequest = {
    model: model.model,
    messages: [
      { role: 'system', content: summariserRole },
      { role: 'user', content: prompt },
    ],
    tools: [],
    maxOutputTokens,
  }
  let text = ''
  let usage: Usage = noUsage
  try {
    for await (const event of model.provider.stream(request, deadline)) {
      if (event.type === 'text-delta') text += event.text
      if (text.length > maxAnswerLength) throw tooLongAnswer(model)
      if (event.type !== 'finish') continue
      usage = event.usage ?? noUsage
      if (event.reason === 'length') return problem('too-long', 'was cut off')
      if (event.reason === 'content_filter') return problem('refused', 'was withheld by the provider')
    }
    deadline.throwIfAborted()
  } catch (error) {
    signal.throwIfAborted()
    return problemOf(error, deadline)
  } finally {
    spent.push({ model, usage })
  }
  if (text.trim() === '') return problem('empty', 'is empty')
  return looksLikeSummary(text) ? text.trim() : problem('refused', 'is none: the model wrote something else')

  function problem(code: SummaryProblem['code'], what: string): SummaryProblem {
    return { code, message: `The summary of ${model.model} ${what}.` }
  }
}

/** The one place where whatever goes wrong in a summary becomes a reason to do without it. */
function problemOf(error: unknown, deadline: AbortSignal): SummaryProblem {
  if (deadline.aborted) return { code: 'timeout', message: 'The summary took too long.' }
  return { code: 'failed', message: error instanceof Error ? error.message : String(error) }
}
