import { z } from 'zod'

const prefillSchema = z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() }))

/** The messages of a prefill file's content; undefined when it is something else. */
export function parsePrefill(content: unknown): z.infer<typeof prefillSchema> | undefined {
  return prefillSchema.safeParse(content).data
}
