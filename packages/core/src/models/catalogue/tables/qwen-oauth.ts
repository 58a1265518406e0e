import type { CatalogueTable } from '../entry.ts'

// Two names that stand for whatever Qwen's newest models are.

export const qwenOauth: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://portal.qwen.ai',
  billing: 'subscription',
  rows: [
    ['coder-model', 1_000_000, 65_536, 'tr'],
    ['vision-model', 262_144, 32_768, 'tir'],
  ],
}
