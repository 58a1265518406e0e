import type { CatalogueTable } from '../entry.ts'

export const openaiCodex: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://developers.openai.com/codex/models',
  billing: 'subscription',
  rows: [
    ['gpt-5.6-luna', 272_000, 128_000, 'tir'],
    ['gpt-5.6-sol', 272_000, 128_000, 'tir'],
    ['gpt-5.6-terra', 272_000, 128_000, 'tir'],
    ['gpt-6-astra', 272_000, 128_000, 'tir'],
    ['gpt-6-luna', 272_000, 128_000, 'tir'],
    ['gpt-6-sol', 272_000, 128_000, 'tir'],
    ['gpt-6.1-sol', 500_000, 128_000, 'tir'],
    ['gpt-6.1-terra', 500_000, 128_000, 'tir'],
    ['gpt-6.2-astra', 272_000, 128_000, 'tir'],
    ['gpt-6.2-sol', 500_000, 128_000, 'tir'],
  ],
}
