import type { CatalogueTable } from '../entry.ts'

export const zai: CatalogueTable = {
  asOf: '2026-11-20',
  page: 'https://docs.z.ai/guides/overview/pricing',
  rows: [
    ['glm-4.7', 204_800, 131_072, 'tr', [0.6, 2.2, 0.11]],
    ['glm-5-turbo', 200_000, 131_072, 'tr', [1.2, 4, 0.24]],
    ['glm-5.2', 1_000_000, 131_072, 'tr', [1.4, 4.4, 0.26]],
    ['glm-5.2-highspeed', 1_000_000, 131_072, 'tr'],
    ['glm-5.3', 1_000_000, 131_072, 'tr', [1.4, 4.4, 0.26]],
    ['glm-5.3-flash', 1_000_000, 131_072, 'tir', [0.15, 0.5, 0.03]],
    ['glm-5.3-highspeed', 1_000_000, 131_072, 'tr'],
  ],
}
