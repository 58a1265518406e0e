import type { CatalogueModel } from '../catalogue/entry.ts'
import { ModelError } from '../model-error.ts'
import type { ModelInfo, ResolvedModel } from '../model.ts'
import type { ListedModel } from './listed-models.ts'

/** How long a list may wait for the provider to tell what the account has. */
const accountMs = 8000

/** The areas that Amazon's inference profiles are named by, in front of a model's name. */
const area = /^(?:global|us-gov|us|eu|apac|jp|au|ca)\./

/**
 * What the account that is used can call, with what the table knows of it; undefined where the provider does not say.
 */
export async function accountModels(
  usable: ResolvedModel,
  known: readonly CatalogueModel[],
  signal: AbortSignal,
): Promise<readonly ListedModel[] | undefined> {
  const told = await ask(usable, signal)
  if (!told || told.length === 0) return undefined
  const [{ provider }] = known.length > 0 ? known : [{ provider: usable.provider.name }]
  const byId = new Map(known.map((model) => [model.id, model]))
  const byModel = new Map(known.map((model) => [model.id.replace(area, ''), model]))
  return told.map((model): ListedModel => {
    const exact = byId.get(model.id)
    if (exact) return exact
    const { prices: _elsewhere, ...same } = byModel.get(model.id.replace(area, '')) ?? {}
    return { ...same, provider, ...model }
  })
}

async function ask({ provider }: ResolvedModel, signal: AbortSignal): Promise<readonly ModelInfo[] | undefined> {
  const limit = AbortSignal.timeout(accountMs)
  try {
    return await provider.models?.(AbortSignal.any([signal, limit]))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelError || limit.aborted) return undefined
    throw error
  }
}
