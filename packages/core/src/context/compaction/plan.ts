import type { ContextMeter } from '../context-meter.ts'
import type { MessageGroup } from './message-groups.ts'

/** Most messages at the beginning that are kept as they are. */
const maxHeadMessages = 3

/** The last messages may exceed their budget by so much, to have at least `protectLastN` of them. */
const softTail = 1.5

export interface PlanLimits {
  readonly headTokens: number
  readonly tailTokens: number
  readonly protectLastN: number
}

/** A history in its three parts, in order. */
export interface CompactionPlan {
  readonly head: readonly MessageGroup[]
  readonly middle: readonly MessageGroup[]
  readonly tail: readonly MessageGroup[]
}

/** Parts a history into what stays (head, tail) and what may be summarised. The last group always stays. */
export function planCompaction(
  groups: readonly MessageGroup[],
  limits: PlanLimits,
  meter: ContextMeter,
): CompactionPlan {
  const headEnd = endOfHead(groups, limits, meter)
  const tailStart = startOfTail(groups, headEnd, limits, meter)
  return { head: groups.slice(0, headEnd), middle: groups.slice(headEnd, tailStart), tail: groups.slice(tailStart) }
}

function endOfHead(groups: readonly MessageGroup[], { headTokens }: PlanLimits, meter: ContextMeter): number {
  let [messages, tokens] = [0, 0]
  for (const [index, group] of groups.entries()) {
    messages += group.messages.length
    tokens += meter.messages(group.messages)
    if (group.kind === 'summary' || messages > maxHeadMessages || tokens > headTokens) return index
  }
  return groups.length
}

function startOfTail(
  groups: readonly MessageGroup[],
  headEnd: number,
  { tailTokens, protectLastN }: PlanLimits,
  meter: ContextMeter,
): number {
  let [messages, tokens] = [0, 0]
  for (let index = groups.length - 1; index >= headEnd; index--) {
    const group = groups[index]
    if (!group || group.kind === 'summary') return index + 1
    messages += group.messages.length
    tokens += meter.messages(group.messages)
    const budget = messages <= protectLastN ? tailTokens * softTail : tailTokens
    if (tokens > budget && index < groups.length - 1) return index + 1
  }
  return headEnd
}
