import type { DecisionRequest } from '@hermes/core/agent/decision.ts'
import { ApprovalPanel } from './approval-panel.ts'
import { ClarifyPanel } from './clarify-panel.ts'
import type { DecisionPanel, PanelOptions } from './panel-options.ts'
import { SecretPanel } from './secret-panel.ts'

/** The panel that asks a question of its kind. */
export function decisionPanel(
  request: DecisionRequest,
  options: Omit<PanelOptions<DecisionRequest['kind']>, 'request'>,
): DecisionPanel {
  if (request.kind === 'approval') return new ApprovalPanel({ ...options, request })
  if (request.kind === 'clarify') return new ClarifyPanel({ ...options, request })
  return new SecretPanel({ ...options, request })
}
