import { hosted } from './hosted.ts'
import { custom, llamaCpp, lmStudio, ollama, vllm } from './local.ts'
import { openAi } from './openai.ts'
import { openRouter } from './openrouter.ts'
import type { ProviderFacts, ProviderRouting } from './provider.ts'

export interface ProviderSettings {
  readonly routing: ProviderRouting
  readonly ollamaNumCtx: number | undefined
}

/** Every provider that can be called, by name. The order is that in which keys in the environment are looked for. */
export function knownProviders({ routing, ollamaNumCtx }: ProviderSettings): ReadonlyMap<string, ProviderFacts> {
  const all = [openRouter(routing), openAi, ...hosted, ollama(ollamaNumCtx), lmStudio, llamaCpp, vllm, custom]
  return new Map(all.map((facts) => [facts.name, facts]))
}
