import type { FinishReason, ModelEvent, Usage } from '@hermes/core/models/model.ts'
import type { AssistantMessage, ToolCall } from '@hermes/core/models/transcript.ts'

/** A model's whole answer. */
export interface CollectedAnswer {
  /** As the session keeps it. */
  readonly message: AssistantMessage
  readonly finish: FinishReason
  readonly usage: Usage | undefined
  /** Every event, in order. */
  readonly events: readonly ModelEvent[]
}

/** Reads a model's stream to its end. Throws when it does not end with exactly one `finish`. */
export async function collectAnswer(stream: AsyncIterable<ModelEvent>): Promise<CollectedAnswer> {
  const events: ModelEvent[] = []
  const toolCalls: ToolCall[] = []
  let content = ''
  let reasoning = ''
  for await (const event of stream) {
    events.push(event)
    if (event.type === 'text-delta') content += event.text
    else if (event.type === 'reasoning-delta') reasoning += event.text
    else if (event.type === 'tool-call') toolCalls.push(event.call)
  }
  const finishes = events.filter((event) => event.type === 'finish')
  const [finish] = finishes
  if (!finish || finishes.length > 1 || events.at(-1) !== finish) {
    throw new Error(`The stream must end with one finish: ${events.map((event) => event.type).join(', ')}`)
  }
  const message: AssistantMessage = {
    role: 'assistant',
    content,
    toolCalls,
    finishReason: finish.reason,
    ...(reasoning !== '' && { reasoning }),
    ...(finish.reasoningDetails !== undefined && { reasoningDetails: finish.reasoningDetails }),
    ...(finish.codexReasoningItems !== undefined && { codexReasoningItems: finish.codexReasoningItems }),
  }
  return { message, finish: finish.reason, usage: finish.usage, events }
}
