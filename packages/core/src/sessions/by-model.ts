import { addUsage, noUsage } from '../models/model.ts'
import type { OtherModelSum } from './other-models.ts'
import type { SessionSums } from './store.ts'

type ModelSums = SessionSums & { readonly model: string }

/** What another model took, and the model whose session it was. */
export interface OtherModelUse extends OtherModelSum {
  readonly ownModel: string
}

/**
 * Sums by the model of each call, from sums by the model of each session. A session counts for each model that was
 * called in it, its messages for its own.
 */
export function byModelOfCalls(byModel: readonly ModelSums[], uses: readonly OtherModelUse[]): readonly ModelSums[] {
  const sums = new Map(byModel.map((each) => [each.model, each]))
  const add = (model: string, more: SessionSums): void => {
    sums.set(model, { model, ...plus(sums.get(model) ?? nothing, more) })
  }
  for (const use of uses) {
    add(use.ownModel, {
      ...nothing,
      usage: scaled(use.usage, -1),
      cost: { ...nothing.cost, usd: -use.usd, reportedUsd: -use.reportedUsd },
    })
    add(use.model, { ...nothing, sessions: 1, usage: use.usage, cost: costOf(use) })
  }
  return [...sums.values()].map(notNegative).toSorted((a, b) => b.sessions - a.sessions || (a.model < b.model ? -1 : 1))
}

function costOf({ usd, reportedUsd, calls, includedCalls, unknownCalls }: OtherModelSum): SessionSums['cost'] {
  return {
    usd,
    reportedUsd,
    includedSessions: includedCalls === calls ? 1 : 0,
    unknownSessions: unknownCalls > 0 ? 1 : 0,
  }
}

const nothing: SessionSums = {
  sessions: 0,
  messages: 0,
  usage: noUsage,
  cost: { usd: 0, reportedUsd: 0, includedSessions: 0, unknownSessions: 0 },
}

/** The sum of two groups. */
export function plus(a: SessionSums, b: SessionSums): SessionSums {
  return {
    sessions: a.sessions + b.sessions,
    messages: a.messages + b.messages,
    usage: addUsage(a.usage, b.usage),
    cost: {
      usd: a.cost.usd + b.cost.usd,
      reportedUsd: a.cost.reportedUsd + b.cost.reportedUsd,
      includedSessions: a.cost.includedSessions + b.cost.includedSessions,
      unknownSessions: a.cost.unknownSessions + b.cost.unknownSessions,
    },
  }
}

function scaled(usage: OtherModelSum['usage'], factor: number): OtherModelSum['usage'] {
  return {
    inputTokens: factor * usage.inputTokens,
    outputTokens: factor * usage.outputTokens,
    cacheReadTokens: factor * usage.cacheReadTokens,
    cacheWriteTokens: factor * usage.cacheWriteTokens,
    reasoningTokens: factor * usage.reasoningTokens,
  }
}

/** Money is rounded where it is stored: what is left of it may be a hair below nothing. */
function notNegative({ cost, ...sums }: ModelSums): ModelSums {
  const usd = Math.max(0, cost.usd)
  return { ...sums, cost: { ...cost, usd, reportedUsd: Math.min(usd, Math.max(0, cost.reportedUsd)) } }
}
