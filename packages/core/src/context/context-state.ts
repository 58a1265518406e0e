import { ContextMeter } from './context-meter.ts'
import type { SharedEstimates } from './shared-estimates.ts'

/** What is known of one conversation's context while the process lives; it goes with it from session to session. */
export interface ContextState {
  readonly meter: ContextMeter
  /** The window that a provider named, where it is smaller than what was known of the model. */
  learnedWindow: { readonly model: string; readonly tokens: number } | undefined
  /** How full it was when the person was last told, in percent of the threshold; 0: not told. */
  toldPercent: number
  /** Compaction saved too little, so it is not tried again by itself. */
  isDisabled: boolean
  /** Whether the person was told that the configured engine is unknown. */
  toldEngine: boolean
  /** No model is asked for a summary before this time (ms), since one took too long. */
  noSummaryBefore: number
}

export function createContextState(estimates?: SharedEstimates): ContextState {
  return {
    meter: new ContextMeter(estimates),
    learnedWindow: undefined,
    toldPercent: 0,
    isDisabled: false,
    toldEngine: false,
    noSummaryBefore: 0,
  }
}
