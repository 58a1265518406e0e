import { z } from 'zod'
import type { MemoryProviderStart, MemoryProviderTool } from '../../memory-provider.ts'
import { defineProviderTool } from '../provider-tool.ts'
import { itemOf } from './item.ts'
import type { HindsightService } from './service.ts'
import type { HindsightSettings } from './settings.ts'

const nothingFound = 'No relevant memories found.'

/** The tools of upstream, with their names and parameters. */
export function hindsightTools(
  service: HindsightService,
  start: MemoryProviderStart,
  settings: HindsightSettings,
): readonly MemoryProviderTool[] {
  const words = z.string().trim().min(1)
  return [
    defineProviderTool({
      name: 'hindsight_retain',
      description: 'Keep something in long-term memory; its facts, people and things are taken out by themselves.',
      concurrency: 'exclusive',
      input: z.object({
        content: words.describe('What to keep.'),
        context: z.string().optional().describe('A short label, e.g. "user preference" or "project decision".'),
      }),
      run: async ({ content, context }, signal) => {
        await service.retain([{ ...itemOf(content, start, settings), context }], false, signal)
        return { result: 'Memory stored successfully.' }
      },
    }),
    defineProviderTool({
      name: 'hindsight_recall',
      description: 'Search long-term memory by meaning, words and connections; best first.',
      concurrency: 'parallel',
      input: z.object({ query: words.describe('What to search for.') }),
      run: async ({ query }, signal) => {
        const found = await service.recall(query, signal)
        return { result: found.map((fact, index) => `${index + 1}. ${fact}`).join('\n') || nothingFound }
      },
    }),
    defineProviderTool({
      name: 'hindsight_reflect',
      description: 'An answer reasoned from everything in long-term memory. Slower than hindsight_recall.',
      concurrency: 'parallel',
      input: z.object({ query: words.describe('The question.') }),
      run: async ({ query }, signal) => ({ result: (await service.reflect(query, signal)) || nothingFound }),
    }),
  ]
}
