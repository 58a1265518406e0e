import type { CatalogueTable } from '../entry.ts'

export const minimax: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://platform.minimax.io/docs/guides/pricing',
  rows: [
    ['MiniMax-M2.7', 204_800, 131_072, 'tr', [0.3, 1.2, 0.06, 0.375]],
    ['MiniMax-M2.7-highspeed', 204_800, 131_072, 'tr', [0.6, 2.4, 0.06, 0.375]],
    ['MiniMax-M3', 1_000_000, 524_288, 'tir', [0.3, 1.2, 0.06], [512_000, 0.6, 2.4, 0.12]],
    ['MiniMax-M3.1-Flash', 1_000_000, 524_288, 'tir', [0.15, 0.6, 0.015]],
  ],
}
