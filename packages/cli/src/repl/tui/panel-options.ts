import type { Component, Focusable } from '@earendil-works/pi-tui/dist/tui.js'
import type { DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import type { Theme } from '../theme.ts'

/** A question in place of the prompt. Keys go to it until it has its answer. */
export interface DecisionPanel extends Component, Focusable {
  handleInput(data: string): void
}

export interface PanelOptions<Kind extends DecisionRequest['kind']> {
  readonly request: Extract<DecisionRequest, { kind: Kind }>
  readonly theme: Theme
  /** Milliseconds left to answer. */
  readonly timeLeft: () => number
  /** Whether keys count yet. Not for a while when the person was typing as the question came. */
  readonly isArmed: () => boolean
  readonly answer: (answer: DecisionAnswer) => void
}
