import type { CatalogueTable } from '../entry.ts'

export const xai: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://docs.x.ai/docs/models',
  rows: [
    ['grok-4.3', 1_000_000, 30_000, 'tir', [1.25, 2.5, 0.2], [200_000, 2.5, 5, 0.4]],
    ['grok-4.5', 500_000, 500_000, 'tir', [2, 6, 0.3], [200_000, 4, 12, 0.6]],
    ['grok-4.6', 500_000, 500_000, 'tir', [2, 6, 0.5], [200_000, 4, 12, 1]],
    ['grok-4.7', 500_000, 500_000, 'tir', [2, 6, 0.5], [200_000, 4, 12, 1]],
  ],
}
