import type { CatalogueTable } from '../entry.ts'

export const ollamaCloud: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://ollama.com/search?c=cloud',
  billing: 'subscription',
  rows: [
    ['gpt-oss:120b', 131_072, 131_072, 'tr'],
    ['gpt-oss:20b', 131_072, 131_072, 'tr'],
    ['qwen3-coder:480b', 262_144, 262_144, 't'],
    ['deepseek-v3.1:671b', 163_840, 163_840, 'tr'],
  ],
}
