import { findRow } from './catalogue/find-row.ts'
import { tables } from './catalogue/registry.ts'
import type { ResolvedModel } from './model.ts'

/** Whether a model can look at images, as far as is known: one that nothing is known of is thought to. */
export async function seesImages({ provider, model }: ResolvedModel): Promise<boolean> {
  if (provider.isInterpreter || provider.isTextOnly) return false
  const table = Object.hasOwn(tables, provider.name) ? await tables[provider.name]?.() : undefined
  const abilities = findRow(table, model)?.[3]
  return abilities?.includes('i') ?? true
}
