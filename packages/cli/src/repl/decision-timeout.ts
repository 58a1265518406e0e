import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { DecisionRequest } from '@hermes/core/agent/decision.ts'

/** How long a secret may take, ms. */
const secretTimeoutMs = 45_000

/** How long a question waits for the person, ms. */
export function decisionTimeoutMs(kind: DecisionRequest['kind'], { config }: Pick<AgentContext, 'config'>): number {
  if (kind === 'approval') return config.approvals.timeout * 1000
  return kind === 'clarify' ? config.clarify.timeout * 1000 : secretTimeoutMs
}
