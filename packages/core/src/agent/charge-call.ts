import type { ResolvedModel, Usage } from '../models/model.ts'
import { callCost, storedCost, toldModelsFolder } from '../models/pricing.ts'
import type { CallCost } from '../models/pricing.ts'
import type { UsageDelta } from '../sessions/store.ts'
import type { AgentContext } from './context.ts'

type Store = Pick<AgentContext, 'home' | 'sessions' | 'observer'>

/** A call with its price. */
export interface PricedUsage {
  readonly cost: CallCost
  /** As a session stores it. */
  readonly delta: UsageDelta
}

/** Adds the tokens of a model call and what they cost to its session; resolves to the cost. */
export async function chargeCall(
  context: Store,
  sessionId: string,
  model: ResolvedModel,
  usage: Usage,
): Promise<CallCost> {
  const { cost, delta } = await priceCall(context, model, usage)
  await context.sessions.addUsage(sessionId, delta)
  return cost
}

/** What a call cost, which is still to be stored. */
export async function priceCall(
  { home, observer }: Pick<Store, 'home' | 'observer'>,
  model: ResolvedModel,
  usage: Usage,
): Promise<PricedUsage> {
  const provider = model.provider.name
  const toldFolder = toldModelsFolder(home)
  const cost = await callCost({ provider, model: model.model, baseUrl: model.baseUrl, usage, toldFolder })
  observer?.note({ kind: 'spent', provider, model: model.model, usage, cost })
  const billing = { billingProvider: provider, billingBaseUrl: model.baseUrl }
  return { cost, delta: { usage, model: model.model, ...billing, ...storedCost(cost) } }
}
