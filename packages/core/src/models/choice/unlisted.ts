import type { AgentContext } from '../../agent/context.ts'
import { modelList } from '../catalogue/catalogue.ts'
import type { ResolvedModel } from '../model.ts'
import { toldModelsFolder } from '../pricing.ts'
import { similarNames } from '../similar-names.ts'
import { toldBy } from './listed-models.ts'
import type { ListedModel } from './listed-models.ts'

/** What the list of a model's provider says of it. */
export interface Listing {
  /** Undefined where it is not in the list, or there is no list. */
  readonly known: ListedModel | undefined
  /** Names of the list that are much like it, when it is not in it itself. */
  readonly similar: readonly string[]
}

/** Looks a model up in its provider's list. Only a server that no list is known of is asked. */
export async function listingOf(
  resolved: ResolvedModel,
  { home }: Pick<AgentContext, 'home'>,
  signal: AbortSignal,
): Promise<Listing> {
  const { model } = resolved
  const list = await modelList(resolved.provider.name, toldModelsFolder(home))
  const models: readonly ListedModel[] =
    list?.models ?? (resolved.baseUrl === undefined ? [] : await toldBy(resolved, signal))
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
