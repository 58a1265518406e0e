import type { CatalogueTable } from '../entry.ts'

export const kimiCoding: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://platform.moonshot.ai/docs/pricing/chat',
  rows: [
    ['kimi-k2.6', 262_144, 262_144, 'tir', [0.95, 4, 0.16]],
    ['kimi-k2.7-code', 262_144, 262_144, 'tir', [0.95, 4, 0.19]],
    ['kimi-k2.7-code-highspeed', 262_144, 262_144, 'tir', [1.9, 8, 0.38]],
    ['kimi-k3', 1_048_576, 1_048_576, 'tir', [3, 15, 0.3]],
    ['kimi-k3.1-pro', 1_048_576, 1_048_576, 'tir', [2, 10, 0.2]],
    ['kimi-k3.1-pro-highspeed', 1_048_576, 1_048_576, 'tir', [4, 20, 0.2]],
  ],
}
