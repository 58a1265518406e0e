import { z } from 'zod'

const usage = z.looseObject({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  input_tokens_details: z.looseObject({ cached_tokens: z.number().nullish() }).nullish(),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.number().nullish() }).nullish(),
})

const item = z.looseObject({
  type: z.string(),
  id: z.string().nullish(),
  call_id: z.string().nullish(),
  name: z.string().nullish(),
  arguments: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().nullish() })).nullish(),
})

const response = z.looseObject({
  usage: usage.nullish(),
  incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
  error: z.unknown(),
})

export type OutputItem = z.infer<typeof item>
export type FinalResponse = z.infer<typeof response>

const delta = z.string()
const index = z.number()

/** The events that we read, https://platform.openai.com/docs/api-reference/responses-streaming. */
const streamEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('response.output_item.added'), output_index: index, item }),
  z.looseObject({ type: z.literal('response.output_item.done'), output_index: index, item }),
  z.looseObject({ type: z.literal('response.output_text.delta'), output_index: index, delta }),
  z.looseObject({ type: z.literal('response.refusal.delta'), output_index: index, delta }),
  z.looseObject({ type: z.literal('response.reasoning_summary_part.added'), summary_index: index }),
  z.looseObject({ type: z.literal('response.reasoning_summary_text.delta'), delta }),
  z.looseObject({ type: z.literal('response.reasoning_text.delta'), delta }),
  z.looseObject({ type: z.literal('response.completed'), response }),
  z.looseObject({ type: z.literal('response.incomplete'), response }),
  z.looseObject({ type: z.literal('response.failed'), response }),
  z.looseObject({ type: z.literal('error') }),
])

export type StreamEvent = z.infer<typeof streamEvent>

/** A frame's event; undefined for kinds that say nothing new to us. Throws `SyntaxError` for no JSON. */
export function parseStreamEvent(data: string): StreamEvent | undefined {
  const parsed = streamEvent.safeParse(JSON.parse(data))
  return parsed.success ? parsed.data : undefined
}
