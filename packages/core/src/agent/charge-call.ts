import type { ResolvedModel, Usage } from '../models/model.ts'
import { callCost, storedCost, toldModelsFolder } from '../models/pricing.ts'
import type { CallCost } from '../models/pricing.ts'
import type { AgentContext } from './context.ts'

/** Adds the tokens of a model call and what they cost to its session; resolves to the cost. */
export async function chargeCall(
  { home, sessions }: Pick<AgentContext, 'home' | 'sessions'>,
  sessionId: string,
  model: ResolvedModel,
  usage: Usage,
): Promise<CallCost> {
  const provider = model.provider.name
  const toldFolder = toldModelsFolder(home)
  const cost = await callCost({ provider, model: model.model, baseUrl: model.baseUrl, usage, toldFolder })
  await sessions.addUsage(sessionId, {
    usage,
    model: model.model,
    billingProvider: provider,
    billingBaseUrl: model.baseUrl,
    ...storedCost(cost),
  })
  return cost
}
