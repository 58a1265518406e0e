/** USD for a million tokens: input, output, read from a cache, written to a cache. What is not named is not known. */
export type PriceRow = readonly [input: number, output: number, cacheRead?: number, cacheWrite?: number]

/** Prices of calls whose prompt has more tokens than `above`. */
export type TierRow = readonly [above: number, input: number, output: number, cacheRead?: number, cacheWrite?: number]

/** One model: its name at the provider, its context window, its longest answer, and letters for what it can do. */
export type ModelRow =
  | readonly [id: string, contextLength: number, maxOutputTokens: number, abilities: Abilities]
  | readonly [
      id: string,
      contextLength: number,
      maxOutputTokens: number,
      abilities: Abilities,
      prices: PriceRow,
      ...tiers: readonly TierRow[],
    ]

/** `t`: calls tools, `i`: takes images, `r`: reasons. */
export type Abilities = 't' | 'ti' | 'tr' | 'tir'

/**
 * What one provider serves, as it was on a day. The rows are facts of the provider's own page, taken from the model lists
 * of the npm package `@earendil-works/pi-ai` 1.6.0 (Alibaba Cloud: of the PyPI package `litellm` 1.110.2). The prices of
 * the makers of models were compared between the two; where they differ, none is named here.
 */
export interface CatalogueTable {
  /** Day of the facts, `YYYY-MM-DD`. */
  readonly asOf: string
  /** The provider's page of models and prices. */
  readonly page: string
  /** How its calls are paid; by the token where absent. */
  readonly billing?: 'subscription'
  /** Whether its own list of models, which anybody may read, says what they cost. */
  readonly tellsPrices?: true
  /** Whether what can be called depends on the account, so that the provider is asked for it. */
  readonly differsByAccount?: true
  readonly rows: readonly ModelRow[]
}

/** USD for a million tokens. Absent: not known. */
export interface Prices {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** What a model costs; `tiers` hold from so many prompt tokens on, the longest last. */
export interface PriceList extends Prices {
  readonly tiers?: readonly (Prices & { readonly above: number })[]
}

/** What the catalogue knows of one model at one provider. */
export interface CatalogueModel {
  readonly provider: string
  readonly id: string
  readonly contextLength: number
  readonly maxOutputTokens: number
  readonly tools: boolean
  readonly images: boolean
  readonly reasoning: boolean
  readonly prices?: PriceList
}
