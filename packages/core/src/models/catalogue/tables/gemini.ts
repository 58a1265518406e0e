import type { CatalogueTable } from '../entry.ts'

export const gemini: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://ai.google.dev/gemini-api/docs/pricing',
  rows: [
    ['gemini-2.5-flash', 1_048_576, 65_536, 'tir', [0.3, 2.5, 0.03]],
    ['gemini-2.5-flash-lite', 1_048_576, 65_536, 'tir', [0.1, 0.4, 0.01]],
    ['gemini-2.5-pro', 1_048_576, 65_536, 'tir', [1.25, 10, 0.125], [200_000, 2.5, 15, 0.25]],
    ['gemini-3-flash-preview', 1_048_576, 65_536, 'tir', [0.5, 3, 0.05]],
    ['gemini-3.1-flash-lite', 1_048_576, 65_536, 'tir', [0.25, 1.5, 0.025]],
    ['gemini-3.1-flash-lite-preview', 1_048_576, 65_536, 'tir', [0.25, 1.5, 0.025]],
    ['gemini-3.1-pro-preview', 1_048_576, 65_536, 'tir', [2, 12, 0.2], [200_000, 4, 18, 0.4]],
    ['gemini-3.5-flash', 1_048_576, 65_536, 'tir', [1.5, 9, 0.15]],
    ['gemini-3.5-flash-lite', 1_048_576, 65_536, 'tir', [0.3, 2.5, 0.03]],
    ['gemini-3.6-flash', 1_048_576, 65_536, 'tir', [0.75, 3.75, 0.075]],
    ['gemini-3.7-flash', 1_048_576, 65_536, 'tir', [0.75, 3.75, 0.075]],
    ['gemini-3.8-flash', 1_048_576, 65_536, 'tir', [0.75, 3.75, 0.075]],
    ['gemini-4-argon', 1_048_576, 32_768, 'tir', [2, 10, 0.1]],
    ['gemini-4-carbon', 1_048_576, 32_768, 'tir', [2, 10, 0.1]],
    ['gemini-4-hydrogen', 1_048_576, 65_536, 'tir', [1.5, 7.5, 0.075]],
    ['gemini-4-neon', 1_048_576, 65_536, 'tir', [3, 15, 0.15]],
    ['gemma-4-26b-a4b-it', 262_144, 32_768, 'tir'],
    ['gemma-4-31b-it', 262_144, 32_768, 'tir'],
  ],
}
