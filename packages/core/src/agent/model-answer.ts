import { addUsage, noUsage } from '../models/model.ts'
import type { FinishReason, ModelEvent, ModelRequest, ResolvedModel, Usage } from '../models/model.ts'
import { ModelError } from '../models/model-error.ts'
import { retryDelayMs, sleep } from '../models/retry.ts'
import type { AssistantMessage, ToolCall } from '../models/transcript.ts'
import type { TurnEvent } from './events.ts'

/** One complete answer of a model. */
export interface ModelAnswer {
  readonly message: AssistantMessage
  readonly finish: FinishReason
  /** Undefined where the provider does not tell. */
  readonly usage: Usage | undefined
}

/** The model failed for good; `partial` is what it had said in the last attempt. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  readonly partial: AssistantMessage
  override readonly cause: unknown
  constructor(cause: unknown, partial: AssistantMessage) {
    super(cause instanceof Error ? cause.message : String(cause))
    this.cause = cause
    this.partial = partial
  }
}

/**
 * Most characters of one answer: some twenty times what the largest models can write. A server that never ends its
 * answer would fill the memory and the session.
 */
const maxAnswerLength = 16 * 1024 * 1024

type Emit = (event: TurnEvent) => Promise<void> | undefined

/** Times one call is made before its failure is final. */
const maxAttempts = 4

/** Answers with neither text nor calls that are asked for again. */
const maxEmptyRetries = 2

/**
 * Gets one answer: streams it as events, and tries again what is worth trying (rate limits, overload, dropped or stalled
 * streams, empty answers), each a bounded number of times. Throws `AnswerError`; when `signal` aborts, an `AnswerError`
 * whose cause is the reason.
 */
export async function getAnswer(
  model: ResolvedModel,
  request: ModelRequest,
  emit: Emit,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  let failures = 0
  let empties = 0
  let spent = noUsage
  while (true) {
    const draft = newDraft()
    try {
      await stream(model, request, draft, emit, signal)
    } catch (error) {
      const failure = signal.aborted ? signal.reason : error
      if (signal.aborted || !(failure instanceof ModelError) || !failure.isTransient || ++failures >= maxAttempts) {
        throw new AnswerError(failure, asMessage(draft))
      }
      await resetIfShown(draft, emit)
      await waitToRetry(failure, failures, draft, emit, signal)
      continue
    }
    if (draft.usage) spent = addUsage(spent, draft.usage)
    if (draft.text.trim() === '' && draft.calls.length === 0 && draft.finish !== 'content_filter') {
      if (empties++ < maxEmptyRetries) {
        await resetIfShown(draft, emit)
        await emit({
          type: 'notice',
          level: 'info',
          code: 'empty-answer',
          message: 'The model answered nothing; asking again.',
        })
        continue
      }
    }
    return { message: asMessage(draft), finish: draft.finish, usage: draft.usage && spent }
  }
}

/** An answer while it arrives. */
interface Draft {
  text: string
  reasoning: string
  readonly calls: ToolCall[]
  finish: FinishReason
  usage: Usage | undefined
  reasoningDetails: unknown
  codexReasoningItems: unknown
}

function newDraft(): Draft {
  return {
    text: '',
    reasoning: '',
    calls: [],
    finish: 'other',
    usage: undefined,
    reasoningDetails: undefined,
    codexReasoningItems: undefined,
  }
}

async function stream(
  model: ResolvedModel,
  request: ModelRequest,
  draft: Draft,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  let finished = false
  let length = 0
  for await (const event of model.provider.stream(request, signal)) {
    length += lengthOf(event)
    if (length > maxAnswerLength) throw tooLong(model)
    if (event.type === 'text-delta') {
      draft.text += event.text
      await emit({ type: 'text-delta', text: event.text })
    } else if (event.type === 'reasoning-delta') {
      draft.reasoning += event.text
      await emit({ type: 'reasoning-delta', text: event.text })
    } else if (event.type === 'tool-call') draft.calls.push(event.call)
    else if (event.type === 'finish') {
      finished = true
      draft.finish = event.reason
      draft.usage = event.usage
      draft.reasoningDetails = event.reasoningDetails
      draft.codexReasoningItems = event.codexReasoningItems
    }
  }
  signal.throwIfAborted()
  if (!finished) throw new ModelError('malformed-stream', `${model.provider.name} ended its answer without saying so.`)
}

function lengthOf(event: ModelEvent): number {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text.length
  return event.type === 'tool-call' ? event.call.arguments.length : 0
}

/** Not to be asked for again: it would be as long the next time. */
function tooLong({ provider }: ResolvedModel): ModelError {
  const limit = `${maxAnswerLength / 1024 / 1024} million characters`
  return new ModelError('invalid-request', `${provider.name} did not end its answer after ${limit}; it was stopped.`)
}

async function resetIfShown(draft: Draft, emit: Emit): Promise<void> {
  if (draft.text !== '' || draft.reasoning !== '') await emit({ type: 'answer-reset' })
}

async function waitToRetry(
  failure: ModelError,
  attempt: number,
  draft: Draft,
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const delayMs = retryDelayMs(failure, attempt, Math.random)
  await emit({
    type: 'notice',
    level: 'warning',
    code: failure.code,
    message: `${failure.message} Trying again in ${(delayMs / 1000).toFixed(1)} s (${attempt} of ${maxAttempts - 1}).`,
  })
  try {
    await sleep(delayMs, signal)
  } catch (error) {
    throw new AnswerError(error, asMessage(draft))
  }
}

function asMessage(draft: Draft): AssistantMessage {
  return {
    role: 'assistant',
    content: draft.text,
    toolCalls: draft.calls,
    finishReason: draft.finish,
    ...(draft.reasoning !== '' && { reasoning: draft.reasoning }),
    ...(draft.reasoningDetails !== undefined && { reasoningDetails: draft.reasoningDetails }),
    ...(draft.codexReasoningItems !== undefined && { codexReasoningItems: draft.codexReasoningItems }),
  }
}
