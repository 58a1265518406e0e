import type { CatalogueTable } from './entry.ts'

/** The tables by the provider's name; one is read only when it is asked for. */
export const tables: Readonly<Record<string, () => Promise<CatalogueTable>>> = {
  openrouter: async () => (await import('./tables/openrouter.ts')).openrouter,
  anthropic: async () => (await import('./tables/anthropic.ts')).anthropic,
  openai: async () => (await import('./tables/openai.ts')).openai,
  'openai-codex': async () => (await import('./tables/openai-codex.ts')).openaiCodex,
  gemini: async () => (await import('./tables/gemini.ts')).gemini,
  xai: async () => (await import('./tables/xai.ts')).xai,
  deepseek: async () => (await import('./tables/deepseek.ts')).deepseek,
  mistral: async () => (await import('./tables/mistral.ts')).mistral,
  zai: async () => (await import('./tables/zai.ts')).zai,
  'kimi-coding': async () => (await import('./tables/kimi-coding.ts')).kimiCoding,
  minimax: async () => (await import('./tables/minimax.ts')).minimax,
  alibaba: async () => (await import('./tables/alibaba.ts')).alibaba,
  xiaomi: async () => (await import('./tables/xiaomi.ts')).xiaomi,
  huggingface: async () => (await import('./tables/huggingface.ts')).huggingface,
  'ai-gateway': async () => (await import('./tables/ai-gateway.ts')).aiGateway,
  bedrock: async () => (await import('./tables/bedrock.ts')).bedrock,
  copilot: async () => (await import('./tables/copilot.ts')).copilot,
  'opencode-zen': async () => (await import('./tables/opencode-zen.ts')).opencodeZen,
  'opencode-go': async () => (await import('./tables/opencode-go.ts')).opencodeGo,
  'ollama-cloud': async () => (await import('./tables/ollama-cloud.ts')).ollamaCloud,
  // It serves under OpenRouter's names; what it charges is not published.
  nous: async () => unpriced((await import('./tables/openrouter.ts')).openrouter),
  'qwen-oauth': async () => (await import('./tables/qwen-oauth.ts')).qwenOauth,
  'copilot-acp': async () => (await import('./tables/copilot.ts')).copilot,
  'kimi-coding-cn': async () => unpriced((await import('./tables/kimi-coding.ts')).kimiCoding),
  'minimax-cn': async () => unpriced((await import('./tables/minimax.ts')).minimax),
}

/** The same models at a place whose prices are other ones, or in another currency. */
function unpriced(table: CatalogueTable): CatalogueTable {
  const rows = table.rows.map(([id, context, output, abilities]) => [id, context, output, abilities] as const)
  return { asOf: table.asOf, page: table.page, rows }
}
