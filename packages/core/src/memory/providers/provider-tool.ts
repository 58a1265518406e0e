import { z } from 'zod'
import { inputSchema } from '../../tools/input-schema.ts'
import type { MemoryProviderTool } from '../memory-provider.ts'

/** One tool of a provider, before it is typed away. */
export interface ProviderToolDefinition<Args> {
  readonly name: string
  /** For the model: short. */
  readonly description: string
  readonly concurrency: MemoryProviderTool['concurrency']
  readonly input: z.ZodType<Args>
  /** Does it; the object is what the model reads. Throws `MemoryProviderError`. */
  readonly run: (args: Args, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>
}

/** A tool whose arguments are parsed by its schema; wrong ones are answered with what is wrong. */
export function defineProviderTool<Args>(definition: ProviderToolDefinition<Args>): MemoryProviderTool {
  const { name, description, concurrency, input, run } = definition
  return {
    name,
    description,
    concurrency,
    parameters: inputSchema(input),
    async run(args, signal) {
      const parsed = input.safeParse(args)
      const answer = parsed.success ? await run(parsed.data, signal) : { error: z.prettifyError(parsed.error) }
      return JSON.stringify(answer)
    },
  }
}
