import { ModelError } from '../model-error.ts'
import type { ModelEvent, ModelRequest, Usage } from '../model.ts'
import { createAnswerReader } from '../openai-compatible/answer-reader.ts'
import { plainDialect } from '../openai-compatible/dialect.ts'
import type { Chunk } from '../openai-compatible/chunk.ts'
import { createCallLimit } from '../wire/call-limit.ts'
import type { GrammarState, LlamaSequence, Token } from './binding.ts'
import { callGrammar, createCallWatch } from './call-grammar.ts'
import type { LoadedModel } from './loaded-model.ts'
import { orAborted } from './or-aborted.ts'
import { createPromptMarks } from './prompt-tokens.ts'
import { createTokenText } from './token-text.ts'

/** How the next token is chosen. */
export interface Sampling {
  /** 0: always the likeliest. */
  readonly temperature: number
  readonly topP: number
  readonly topK: number
  readonly minP: number
}

/** What most makers of small models advise. */
export const usualSampling: Sampling = { temperature: 0.6, topP: 0.95, topK: 40, minP: 0.05 }

/** The longest answer where nobody sets a limit, tokens: a small model may not find an end. */
const usualAnswer = 8192

/** With less room than this there is no point in beginning, tokens. */
const leastAnswer = 64

export interface AnswerOptions {
  readonly loaded: LoadedModel
  readonly request: ModelRequest
  readonly sampling: Sampling
  /** Given what goes on for a moment after a stop; the model is free when it is over. */
  readonly goesOn: (work: Promise<unknown>) => void
}

/** One answer of a model in memory. Throws `context-overflow`; when `signal` aborts, its reason at once. */
export async function* answer(options: AnswerOptions, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const { loaded, request, goesOn } = options
  const { text: prompt, tokens } = promptOf(loaded, request)
  const room = loaded.window - tokens.length - 1
  if (room < leastAnswer) throw tooLong(tokens.length, loaded.window)
  const continued = loaded.conversations.continue(tokens)
  goesOn(continued)
  const { sequence, rest, kept } = await orAborted(continued, signal)
  const read = readPrompt(sequence, rest, loaded.readsAtOnce, signal)
  goesOn(read)
  const last = await orAborted(read, signal)

  const reader = createAnswerReader(plainDialect, request.tools, createCallLimit(place))
  if (endsInThought(prompt)) yield* reader.feed({ ...nothing, text: '<think>' })
  const calls = await watchCalls(loaded, request)
  const spoken = createTokenText(loaded.model, tokens)
  const most = Math.min(room, request.maxOutputTokens ?? usualAnswer)
  const sampling = { ...options.sampling, grammarEvaluationState: calls.state }
  const answered = sequence.evaluate(last, sampling)
  let count = 0
  let isCut = false
  try {
    while (true) {
      const next = answered.next()
      goesOn(next)
      const { value: token, done } = await orAborted(next, signal)
      if (done || token === undefined) break
      count++
      const text = spoken.add(token)
      await calls.add(text)
      yield* reader.feed({ ...nothing, text })
      isCut = count >= most
      if (isCut) break
    }
  } finally {
    goesOn(answered.return())
  }
  yield* reader.feed({ ...nothing, text: spoken.end() })
  for (const event of reader.end()) {
    if (event.type !== 'finish') yield event
    else yield { ...event, ...(isCut && { reason: 'length' }), usage: usageOf(tokens.length, kept, count) }
  }
}

const place = { label: 'The model on this machine' }

const nothing: Chunk = {
  text: '',
  refusal: '',
  reasoning: '',
  reasoningDetails: [],
  calls: [],
  finishReason: undefined,
  usage: undefined,
  error: undefined,
}

function promptOf({ model, template }: LoadedModel, request: ModelRequest) {
  const marks = createPromptMarks(model)
  try {
    const text = template.render(request, (each) => marks.guard(each))
    return { text, tokens: marks.tokens(text) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `The chat template of the model file does not take this conversation: ${reason}`
    throw new ModelError('invalid-request', message, { cause: error })
  }
}

/** Some templates begin the model's reasoning for it. */
function endsInThought(prompt: string): boolean {
  return /<think>\s*$/.test(prompt.slice(-32))
}

/** Reads a prompt piece by piece, so that a stop is felt; resolves to the tokens that the answer is to follow. */
async function readPrompt(
  sequence: LlamaSequence,
  tokens: readonly Token[],
  atOnce: number,
  signal: AbortSignal,
): Promise<readonly Token[]> {
  let at = 0
  while (tokens.length - at > atOnce) {
    if (signal.aborted) break
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(at, at + atOnce))
    at += atOnce
  }
  return tokens.slice(at)
}

/** Holds calls to the names and shapes of the tools, where the model's form of calls allows that. */
async function watchCalls(loaded: LoadedModel, { tools, toolChoice }: ModelRequest) {
  const form = tools.length === 0 || toolChoice === 'none' ? undefined : loaded.callForm
  if (!form) return { state: undefined, add: async () => {} }
  const grammar = callGrammar(form, tools)
  const watch = createCallWatch(form)
  let inCall: number | undefined
  let state: GrammarState | undefined
  return {
    state: () => state,
    add: async (text: string) => {
      watch.add(text)
      if (watch.openCall === inCall) return
      inCall = watch.openCall
      state = inCall === undefined ? undefined : await loaded.grammarState(grammar)
    },
  }
}

function usageOf(prompt: number, kept: number, outputTokens: number): Usage {
  return {
    inputTokens: prompt - kept,
    outputTokens,
    cacheReadTokens: kept,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  }
}

function tooLong(tokens: number, window: number): ModelError {
  const message = `The conversation is ${tokens} tokens long, and the model on this machine has a window of ${window}. Set model.context_length to more where the file and the memory allow it, or use fewer tools.`
  return new ModelError('context-overflow', message)
}
