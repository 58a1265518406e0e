import type { CatalogueModel, CatalogueTable, ModelRow } from './entry.ts'
import { findRow, rowPrices } from './find-row.ts'
import { tables } from './registry.ts'
import { readToldModels } from './told-models.ts'

/** The providers that the catalogue has a table of, in the order in which people are shown them. */
export const catalogueProviders: readonly string[] = Object.keys(tables)

/** A provider's table; undefined where there is none. */
export async function catalogueTable(provider: string): Promise<CatalogueTable | undefined> {
  return Object.hasOwn(tables, provider) ? tables[provider]?.() : undefined
}

/** What is known of a provider's models, and where from. */
export interface ModelList {
  readonly models: readonly CatalogueModel[]
  /** Day of the facts, `YYYY-MM-DD`. */
  readonly asOf: string
  /** `provider`: its own list; `table`: the one that is bundled. */
  readonly source: 'provider' | 'table'
}

/**
 * The models of a provider: as it told them last, else from the bundled table; undefined where there is neither.
 * `toldFolder` is where `refreshToldModels` keeps what providers told.
 */
export async function modelList(provider: string, toldFolder?: string): Promise<ModelList | undefined> {
  const told = toldFolder === undefined ? undefined : await readToldModels(toldFolder, provider)
  if (told) return { models: told.models, asOf: told.asOf, source: 'provider' }
  const table = await catalogueTable(provider)
  return table && { models: table.rows.map((row) => toModel(provider, row)), asOf: table.asOf, source: 'table' }
}

/** One model of the bundled table by its name at the provider. */
export async function catalogueModel(provider: string, id: string): Promise<CatalogueModel | undefined> {
  const row = findRow(await catalogueTable(provider), id)
  return row && toModel(provider, row)
}

function toModel(provider: string, row: ModelRow): CatalogueModel {
  const [id, contextLength, maxOutputTokens, abilities] = row
  const prices = rowPrices(row)
  return {
    provider,
    id,
    contextLength,
    maxOutputTokens,
    tools: abilities.includes('t'),
    images: abilities.includes('i'),
    reasoning: abilities.includes('r'),
    ...(prices && { prices }),
  }
}
