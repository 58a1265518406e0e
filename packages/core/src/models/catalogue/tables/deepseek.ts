import type { CatalogueTable } from '../entry.ts'

export const deepseek: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://api-docs.deepseek.com/quick_start/pricing',
  rows: [
    ['deepseek-flash', 1_000_000, 384_000, 'tir', [0.3, 1.2, 0.006]],
    ['deepseek-v4-pro', 1_000_000, 384_000, 'tr', [1.32, 3.96, 0.044]],
  ],
}
