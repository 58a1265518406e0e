import type { Home } from '../config/home.ts'
import type { PriceList, Prices } from './catalogue/entry.ts'
import { findRow, rowPrices } from './catalogue/find-row.ts'
import { tables } from './catalogue/registry.ts'
import type { Usage } from './model.ts'
import { isLocal } from './net/address.ts'

/** How sure a cost is: the provider's own figure, ours by its prices, paid by a subscription, or nobody knows. */
export type CostStatus = 'actual' | 'estimated' | 'included' | 'unknown'

/** Where a cost comes from, in the words that `state.db` keeps. */
export type CostSource = 'provider_cost_api' | 'provider_models_api' | 'official_docs_snapshot' | 'none'

/** What one model call cost. */
export interface CallCost {
  /** Absent where it is unknown. */
  readonly usd?: number
  readonly status: CostStatus
  readonly source: CostSource
  /** Day of the prices it was reckoned by, `YYYY-MM-DD`. */
  readonly pricesAsOf?: string
}

/** A call to put a price on. */
export interface PricedCall {
  readonly provider: string
  /** The provider's own name of the model. */
  readonly model: string
  /** Where the call went; absent for models in the process. */
  readonly baseUrl?: string
  readonly usage: Usage
  /** Where what providers told of their models is kept. */
  readonly toldFolder?: string
}

/** Where a home keeps what providers told of their models. */
export function toldModelsFolder(home: Home): string {
  return home.path('cache', 'models')
}

/** A cost as a session's columns take it. The estimate is the best figure there is; the actual one is that part of it. */
export function storedCost({ usd, status, source, pricesAsOf }: CallCost) {
  return {
    ...(usd !== undefined && { estimatedCostUsd: usd }),
    ...(usd !== undefined && status === 'actual' && { actualCostUsd: usd }),
    costStatus: status,
    costSource: source,
    ...(pricesAsOf !== undefined && { pricingVersion: pricesAsOf }),
  }
}

/**
 * The cost of a call: what the provider said it charged, else by its prices. Reads at most one file and the one table of
 * the provider, and never asks the network.
 */
export async function callCost(call: PricedCall): Promise<CallCost> {
  const { usage, provider, model, baseUrl, toldFolder } = call
  if (usage.costUsd !== undefined) return { usd: usage.costUsd, status: 'actual', source: 'provider_cost_api' }
  const table = Object.hasOwn(tables, provider) ? await tables[provider]?.() : undefined
  if (usage.isIncluded || table?.billing === 'subscription') return includedCost
  if (table === undefined) return isOnOwnMachine(baseUrl) ? includedCost : unknownCost
  const row = findRow(table, model)
  const prices = row && rowPrices(row)
  const told =
    toldFolder === undefined || !table.tellsPrices ? undefined : await toldPrices(toldFolder, provider, model)
  if (told && !(prices?.tiers && isSame(told.prices, prices))) {
    return estimate(usage, told.prices, 'provider_models_api', told.asOf)
  }
  return prices ? estimate(usage, prices, 'official_docs_snapshot', table.asOf) : unknownCost
}

const includedCost: CallCost = { usd: 0, status: 'included', source: 'none' }
const unknownCost: CallCost = { status: 'unknown', source: 'none' }

/** Lists of providers do not tell what long prompts cost: where the table agrees on the rest, it knows more. */
function isSame(a: Prices, b: Prices): boolean {
  return a.input === b.input && a.output === b.output
}

function isOnOwnMachine(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true
  const url = URL.parse(baseUrl)
  return url !== null && isLocal(url.hostname)
}

async function toldPrices(folder: string, provider: string, model: string) {
  const { readToldModels } = await import('./catalogue/told-models.ts')
  const told = await readToldModels(folder, provider)
  const prices = told?.models.find(({ id }) => id === model)?.prices
  return told && prices && { prices, asOf: told.asOf }
}

function estimate(usage: Usage, prices: PriceList, source: CostSource, pricesAsOf: string): CallCost {
  const usd = usageCost(usage, prices)
  return usd === undefined ? unknownCost : { usd, status: 'estimated', source, pricesAsOf }
}

/**
 * USD for a call's tokens; undefined where a price that is needed is not known. A tier's prices hold for the whole call.
 * Reasoning is part of the output.
 */
export function usageCost(usage: Usage, list: PriceList): number | undefined {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens
  const prices: Prices = list.tiers?.findLast((tier) => prompt > tier.above) ?? list
  const parts = [
    part(usage.inputTokens, prices.input),
    part(usage.outputTokens, prices.output),
    part(usage.cacheReadTokens, prices.cacheRead),
    part(usage.cacheWriteTokens, prices.cacheWrite),
  ]
  let sum = 0
  for (const each of parts) {
    if (each === undefined) return undefined
    sum += each
  }
  return sum
}

function part(tokens: number, perMillion: number | undefined): number | undefined {
  if (tokens === 0) return 0
  return perMillion === undefined ? undefined : (tokens * perMillion) / 1_000_000
}
