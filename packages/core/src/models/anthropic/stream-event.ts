import { z } from 'zod'

/** One event of the stream, https://docs.anthropic.com/en/docs/build-with-claude/streaming; unknown ones are skipped. */
const counts = z.looseObject({
  input_tokens: z.number().nullish(),
  output_tokens: z.number().nullish(),
  cache_creation_input_tokens: z.number().nullish(),
  cache_read_input_tokens: z.number().nullish(),
})

export type Counts = z.infer<typeof counts>

const streamEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message: z.looseObject({ usage: counts.nullish() }) }),
  z.looseObject({
    type: z.literal('content_block_start'),
    index: z.number(),
    content_block: z.looseObject({ type: z.string() }),
  }),
  z.looseObject({
    type: z.literal('content_block_delta'),
    index: z.number(),
    delta: z.looseObject({ type: z.string() }),
  }),
  z.looseObject({ type: z.literal('content_block_stop'), index: z.number() }),
  z.looseObject({
    type: z.literal('message_delta'),
    delta: z.looseObject({ stop_reason: z.string().nullish() }),
    usage: counts.nullish(),
  }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('error'), error: z.unknown() }),
])

export type StreamEvent = z.infer<typeof streamEvent>

/** A frame's event; undefined for kinds that mean nothing to us (`ping`, later ones). Throws `SyntaxError` for no JSON. */
export function parseStreamEvent(data: string): StreamEvent | undefined {
  const parsed = streamEvent.safeParse(JSON.parse(data))
  return parsed.success ? parsed.data : undefined
}
