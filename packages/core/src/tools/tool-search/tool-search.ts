import { z } from 'zod'
import { defineTool, jsonResult } from '../tool.ts'
import { findTools } from './find-tools.ts'

/** Most tools that one search describes. */
const maxFound = 5

/** Describes tools that requests do not carry, so that the model can call them by `use_tool`. */
export const toolSearch = defineTool({
  name: 'tool_search',
  toolset: 'tool_search',
  description:
    'Get descriptions and parameters of more tools, by name or by what they do; then call them with use_tool. Search before you say that something cannot be done.',
  input: z.object({ query: z.string().trim().min(1).describe('Names, or a few words') }),
  concurrency: 'parallel',
  preview: ({ query }) => query,
  async run({ query }, { tools }) {
    const deferred = [...tools.values()].filter(({ isDeferred }) => isDeferred)
    const found = findTools(deferred, query, maxFound)
    if (found.length === 0) {
      return jsonResult({ tools: [], message: `No tool fits "${query}".`, available: deferred.map(({ name }) => name) })
    }
    return jsonResult({ tools: found.map(({ schema }) => schema) })
  },
})
