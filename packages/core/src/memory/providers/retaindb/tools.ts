import { z } from 'zod'
import type { MemoryProviderTool } from '../../memory-provider.ts'
import { defineProviderTool } from '../provider-tool.ts'
import { contextFor } from './recall.ts'
import { memoryTypes } from './service.ts'
import type { RetainDb } from './service.ts'

const text = (about: string) => z.string().trim().min(1).describe(about)

/** The tools for memories. */
export function memoryTools(service: RetainDb, sessionId: string): readonly MemoryProviderTool[] {
  return [
    defineProviderTool({
      name: 'retaindb_profile',
      description: 'What long-term memory knows of the user: preferences, facts, habits.',
      concurrency: 'parallel',
      input: z.object({}),
      async run(_args, signal) {
        const memories = await service.profile(signal)
        return { memories, count: memories.length }
      },
    }),
    defineProviderTool({
      name: 'retaindb_search',
      description: 'Search long-term memory by meaning; the best come first, with a score.',
      concurrency: 'parallel',
      input: z.object({
        query: text('What to look for'),
        top_k: z.number().default(8).describe('Most results, at most 20'),
      }),
      async run({ query, top_k: wanted }, signal) {
        const topK = Math.min(20, Math.max(1, Math.trunc(wanted) || 8))
        const results = await service.search(sessionId, query, topK, signal)
        return { results, count: results.length }
      },
    }),
    defineProviderTool({
      name: 'retaindb_context',
      description: 'What long-term memory holds for the task at hand, in short.',
      concurrency: 'parallel',
      input: z.object({ query: text('The task or question') }),
      async run({ query }, signal) {
        const { text: context, memories } = await contextFor(service, sessionId, query, signal)
        return { context, results: memories }
      },
    }),
    defineProviderTool({
      name: 'retaindb_remember',
      description: 'Keep a fact, preference or decision in long-term memory.',
      concurrency: 'exclusive',
      input: z.object({
        content: text('What to remember'),
        memory_type: z.enum(memoryTypes).default('factual').describe('Its kind'),
        importance: z.number().min(0).max(1).default(0.7).describe('0 to 1'),
      }),
      async run({ content, memory_type: type, importance }, signal) {
        const id = await service.remember(sessionId, { content, type, importance }, signal)
        return { success: true, ...(id !== undefined && { memory_id: id }) }
      },
    }),
    defineProviderTool({
      name: 'retaindb_forget',
      description: 'Delete one memory by its id.',
      concurrency: 'exclusive',
      input: z.object({ memory_id: text('Id of the memory') }),
      async run({ memory_id: id }, signal) {
        await service.forget(id, signal)
        return { success: true, memory_id: id }
      },
    }),
  ]
}
