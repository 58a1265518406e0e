import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { useToolName } from '../toolsets.ts'

const input = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
})

export type UseToolArgs = z.infer<typeof input>

/**
 * Calls a tool that requests do not carry. It never runs itself: a call of it is taken for a call of the tool that it
 * names, before it is checked, asked about and shown.
 */
export const useTool = defineTool({
  name: useToolName,
  toolset: 'tool_search',
  description: 'Call a tool that tool_search has described.',
  input,
  concurrency: 'exclusive',
  preview: ({ name }) => name,
  run({ name }) {
    return Promise.reject(new Error(`${name} was not called: use_tool cannot be called by another tool.`))
  },
})
