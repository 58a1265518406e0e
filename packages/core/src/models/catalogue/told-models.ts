import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fields, list, objects, parseFields, text } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'
import type { CatalogueModel, PriceList } from './entry.ts'

/** What a provider told of its models, and when. */
export interface ToldModels {
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number
  /** The same as a day of UTC, `YYYY-MM-DD`. */
  readonly asOf: string
  readonly models: readonly CatalogueModel[]
}

/** Most models of one provider that are kept. */
const mostModels = 5000

/** The file that holds what a provider told. */
export function toldModelsFile(folder: string, provider: string): string {
  return join(folder, `${provider}.json`)
}

/** What a provider told last, however long ago; undefined where there is nothing, or nothing that can be read. */
export async function readToldModels(folder: string, provider: string): Promise<ToldModels | undefined> {
  let kept: string
  try {
    kept = await readFile(toldModelsFile(folder, provider), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return parseToldModels(kept, provider)
}

/** Reads an answer of `GET /models` with a `fetchedAt` beside its `data`, as it is kept. */
export function parseToldModels(kept: string, provider: string): ToldModels | undefined {
  const { fetchedAt, data } = parseFields(kept) ?? {}
  if (typeof fetchedAt !== 'number' || !Array.isArray(data)) return undefined
  const models = objects(data)
    .slice(0, mostModels)
    .map((model) => toModel(provider, model))
    .filter((model) => model !== undefined)
  return { fetchedAt, asOf: new Date(fetchedAt).toISOString().slice(0, 10), models }
}

/** A model as OpenRouter and the AI Gateway list it; undefined for those that say no window or make no text. */
function toModel(provider: string, model: Fields): CatalogueModel | undefined {
  const top = fields(model['top_provider'])
  const contextLength =
    positive(top?.['context_length']) ?? positive(model['context_length'] ?? model['context_window'])
  const id = text(model['id'])
  if (id === undefined || contextLength === undefined) return undefined
  const maxOutputTokens = positive(top?.['max_completion_tokens'] ?? model['max_tokens']) ?? contextLength
  const parameters = [...list(model['supported_parameters']), ...list(model['tags'])]
  const inputs = list(fields(model['architecture'])?.['input_modalities'])
  const prices = toPrices(fields(model['pricing']))
  return {
    provider,
    id,
    contextLength,
    maxOutputTokens,
    tools: parameters.includes('tools') || parameters.includes('tool-use'),
    images: inputs.includes('image') || parameters.includes('vision'),
    reasoning: parameters.includes('reasoning'),
    ...(prices && { prices }),
  }
}

/** Prices are texts, USD a token; OpenRouter and the AI Gateway name the first two differently. */
function toPrices(pricing: Fields | undefined): PriceList | undefined {
  const input = perMillion(pricing?.['prompt'] ?? pricing?.['input'])
  const output = perMillion(pricing?.['completion'] ?? pricing?.['output'])
  if (input === undefined || output === undefined) return undefined
  const cacheRead = perMillion(pricing?.['input_cache_read'])
  const cacheWrite = perMillion(pricing?.['input_cache_write'])
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
}

/** A price of -1 says that it depends on the call. */
function perMillion(price: unknown): number | undefined {
  const usd = typeof price === 'string' && price.trim() !== '' ? Number(price) : price
  if (typeof usd !== 'number' || !Number.isFinite(usd) || usd < 0) return undefined
  return Number((usd * 1_000_000).toPrecision(12))
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
