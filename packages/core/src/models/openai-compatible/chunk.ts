import { z } from 'zod'

// What is read of a chunk (or of a whole completion, which has `message` in place of `delta`). Servers differ in the
// details, so a field of another type counts as absent rather than spoil the answer.

const text = z.string().nullish().catch(undefined)
const counts = z.record(z.string(), z.unknown()).nullish().catch(undefined)

const callDelta = z.object({
  index: z.int().nullish().catch(undefined),
  id: text,
  function: z.object({ name: text, arguments: z.unknown().optional() }).nullish().catch(undefined),
  extra_content: z.record(z.string(), z.unknown()).nullish().catch(undefined),
})

const delta = z.object({
  content: z
    .union([z.string(), z.array(z.unknown())])
    .nullish()
    .catch(undefined),
  refusal: text,
  reasoning_content: text,
  reasoning: text,
  reasoning_details: z.array(z.record(z.string(), z.unknown())).nullish().catch(undefined),
  tool_calls: z.array(callDelta).nullish().catch(undefined),
})

const chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: delta.nullish().catch(undefined),
        message: delta.nullish().catch(undefined),
        finish_reason: text,
        usage: counts,
        error: z.unknown().optional(),
      }),
    )
    .nullish()
    .catch(undefined),
  usage: counts,
  error: z.unknown().optional(),
})

export type Chunk = z.infer<typeof chunk>
export type Delta = z.infer<typeof delta>
export type CallDelta = z.infer<typeof callDelta>

/** Reads one JSON text of the stream; undefined when it is no JSON object. */
export function parseChunk(json: string): Chunk | undefined {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return undefined
  }
  const parsed = chunk.safeParse(value)
  return parsed.success ? parsed.data : undefined
}
