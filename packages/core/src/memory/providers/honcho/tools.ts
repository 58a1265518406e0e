import { z } from 'zod'
import type { MemoryProviderTool } from '../../memory-provider.ts'
import { defineProviderTool } from '../provider-tool.ts'
import { cardText, charsPerToken, levelFor, shortened } from './recall.ts'
import type { HonchoService } from './service.ts'
import type { HonchoSettings } from './settings.ts'

const defaultSearchTokens = 800
const maxSearchTokens = 2000

const words = z.string().trim().min(1)

/** The tools of upstream, with their names and parameters. */
export function honchoTools(service: HonchoService, settings: HonchoSettings): readonly MemoryProviderTool[] {
  return [
    defineProviderTool({
      name: 'honcho_profile',
      description: "The user's peer card in Honcho: a short list of key facts. Fast, no model is asked.",
      concurrency: 'parallel',
      input: z.looseObject({}),
      run: async (_, signal) => {
        const { card } = await service.context('user', undefined, signal)
        return card.length === 0
          ? { result: 'No profile facts available yet. The profile builds over time through conversations.' }
          : { result: cardText(card) }
      },
    }),
    defineProviderTool({
      name: 'honcho_search',
      description: 'Search what Honcho knows about the user: excerpts by relevance, no model is asked.',
      concurrency: 'parallel',
      input: z.object({
        query: words.describe('What to search for.'),
        max_tokens: z
          .int()
          .default(defaultSearchTokens)
          .describe(`Most tokens of the result (default ${defaultSearchTokens}, at most ${maxSearchTokens}).`),
      }),
      run: async ({ query, max_tokens }, signal) => {
        const { representation, card } = await service.context('user', query, signal)
        const found = [representation, card.length === 0 ? '' : cardText(card)].filter((part) => part !== '')
        if (found.length === 0) return { result: 'No relevant context found.' }
        const tokens = Math.min(Math.max(max_tokens, 1), maxSearchTokens)
        return { result: shortened(found.join('\n\n'), tokens * charsPerToken) }
      },
    }),
    defineProviderTool({
      name: 'honcho_context',
      description:
        "Ask Honcho's model a question about the user or about yourself. Slower and dearer than honcho_search.",
      concurrency: 'parallel',
      input: z.object({
        query: words.describe('A question in natural language.'),
        peer: z.enum(['user', 'ai']).default('user').describe('Whom it is about: user (default) or ai, yourself.'),
      }),
      run: async ({ query, peer }, signal) => {
        const answer = await service.chat(peer, query, levelFor(query, settings), signal)
        return { result: answer || 'Honcho has no answer.' }
      },
    }),
    defineProviderTool({
      name: 'honcho_conclude',
      description: 'Keep a fact about the user in Honcho: a preference, a correction, something of their life or work.',
      concurrency: 'exclusive',
      input: z.object({ conclusion: words.describe('The fact, as a statement.') }),
      run: async ({ conclusion }, signal) => {
        await service.conclude(conclusion, signal)
        return { result: `Conclusion saved: ${conclusion}` }
      },
    }),
  ]
}
