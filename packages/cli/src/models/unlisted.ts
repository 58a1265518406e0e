import type { AgentContext } from '@hermes/core/agent/context.ts'
import { modelList } from '@hermes/core/models/catalogue/catalogue.ts'
import type { ResolvedModel } from '@hermes/core/models/model.ts'
import { toldModelsFolder } from '@hermes/core/models/pricing.ts'
import { similarNames } from '@hermes/core/models/similar-names.ts'
import type { ListedModel } from './listed-models.ts'

/** What the list of a model's provider says of it. */
export interface Listing {
  /** Undefined where it is not in the list, or there is no list. */
  readonly known: ListedModel | undefined
  /** Names of the list that are much like it, when it is not in it itself. */
  readonly similar: readonly string[]
}

/** Looks a model up in its provider's list, without asking the provider. */
export async function listingOf(
  { provider: { name }, model }: ResolvedModel,
  { home }: Pick<AgentContext, 'home'>,
): Promise<Listing> {
  const models = (await modelList(name, toldModelsFolder(home)))?.models ?? []
  const wanted = model.toLowerCase()
  const known = models.find(({ id }) => id.toLowerCase() === wanted)
  if (known) return { known, similar: [] }
  // A name without its maker's is like the part of a listed one that stands behind it.
  const byTail = new Map(models.map(({ id }) => [id.slice(id.lastIndexOf('/') + 1), id]))
  const tail = model.slice(model.lastIndexOf('/') + 1)
  const whole = similarNames(
    model,
    models.map(({ id }) => id),
  )
  const tails = similarNames(tail, byTail.keys()).map((found) => byTail.get(found) ?? found)
  return { known: undefined, similar: [...new Set([...whole, ...tails])].slice(0, 3) }
}

/** Says that a name is probably a slip. */
export function slip(resolved: ResolvedModel, similar: readonly string[]): string {
  const name = `${resolved.provider.name} lists no model ${resolved.model}.`
  return `${name} Did you mean ${similar.join(' or ')}?`
}
