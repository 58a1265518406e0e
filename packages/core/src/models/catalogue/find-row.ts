import type { CatalogueTable, ModelRow, PriceList, PriceRow, Prices } from './entry.ts'

/** The row of a model in a table, whatever the case of its name. */
export function findRow(table: CatalogueTable | undefined, id: string): ModelRow | undefined {
  const wanted = id.toLowerCase()
  return table?.rows.find(([name]) => name.toLowerCase() === wanted)
}

/** What a row says of prices. */
export function rowPrices(row: ModelRow): PriceList | undefined {
  const [, , , , prices, ...tiers] = row
  if (prices === undefined) return undefined
  return {
    ...toPrices(prices),
    ...(tiers.length > 0 && { tiers: tiers.map(([above, ...tier]) => ({ above, ...toPrices(tier) })) }),
  }
}

function toPrices([input, output, cacheRead, cacheWrite]: PriceRow): Prices {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
}
