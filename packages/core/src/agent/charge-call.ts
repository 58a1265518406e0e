import type { ResolvedModel, Usage } from '../models/model.ts'
import { callCost, storedCost, toldModelsFolder } from '../models/pricing.ts'
import type { CallCost } from '../models/pricing.ts'
import type { AgentContext } from './context.ts'

type Store = Pick<AgentContext, 'home' | 'sessions' | 'observer'>

/** Adds the tokens of a model call and what they cost to its session; resolves to the cost. */
export async function chargeCall(
  context: Store,
  sessionId: string,
  model: ResolvedModel,
  usage: Usage,
): Promise<CallCost> {
  const { cost, stored } = await priceCall(context, sessionId, model, usage)
  await stored
  return cost
}

/** The same without waiting until it is stored. */
export async function priceCall(
  { home, sessions, observer }: Store,
  sessionId: string,
  model: ResolvedModel,
  usage: Usage,
): Promise<{ readonly cost: CallCost; readonly stored: Promise<void> }> {
  const provider = model.provider.name
  const toldFolder = toldModelsFolder(home)
  const cost = await callCost({ provider, model: model.model, baseUrl: model.baseUrl, usage, toldFolder })
  observer?.note({ kind: 'spent', provider, model: model.model, usage, cost })
  const stored = sessions.addUsage(sessionId, {
    usage,
    model: model.model,
    billingProvider: provider,
    billingBaseUrl: model.baseUrl,
    ...storedCost(cost),
  })
  return { cost, stored }
}
