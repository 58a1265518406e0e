import type { CatalogueTable } from '../entry.ts'

export const xiaomi: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://platform.xiaomimimo.com/docs/pricing',
  rows: [
    ['mimo-v2.6-flash', 1_048_576, 131_072, 'tir', [0.14, 0.28, 0.0028]],
    ['mimo-v2.6-pro', 1_048_576, 131_072, 'tir', [0.435, 0.87, 0.0036]],
    ['mimo-v2.6-pro-ultraspeed', 1_048_576, 131_072, 'tir', [4.35, 8.7, 0.036]],
  ],
}
