import { z } from 'zod'

/** What a model reads whose arguments do not pass a tool's schema. */
export function invalidArguments(tool: string, error: z.core.$ZodError): string {
  return `Invalid arguments for ${tool}; nothing was done.\n${z.prettifyError(error)}`
}
