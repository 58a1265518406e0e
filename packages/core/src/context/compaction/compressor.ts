import type { TranscriptMessage } from '../../models/transcript.ts'
import type { CompactedHistory, CompactionRequest, ContextEngine } from '../context-engine.ts'
import { extractSummary } from './extract.ts'
import { fitMessages } from './fit-messages.ts'
import { endsWithResults, groupsOf, messagesOf } from './message-groups.ts'
import type { MessageGroup } from './message-groups.ts'
import { planCompaction } from './plan.ts'
import type { CompactionPlan, PlanLimits } from './plan.ts'
import { prune } from './prune.ts'
import { summaryIn, summaryMessage } from './summary-message.ts'
import { writeSummary } from './write-summary.ts'

/** What the parts may take of the room that there is for the history. */
const shares = { head: 0.15, summary: 0.35, tail: 0.5 } as const

/** Clearing old output is enough when it leaves at least a quarter of that room free. */
const prunedShare = 0.75

/** A summary takes a twentieth of the window, within these tokens, where there is room. */
const [leastSummary, mostSummary] = [2_000, 12_000]

/** Between these, `compression.target_ratio` is taken as it is. */
const [leastRatio, mostRatio] = [0.1, 0.8]

/** Least room for a history, tokens: below it nothing could be said. */
const leastRoom = 600

/**
 * The built-in engine. Beginning and end of the conversation stay as they are; between them old tool output is cleared,
 * and where that is not enough, a summary takes the place of it all: a model's, or an extract where that fails.
 */
export const compressor: ContextEngine = {
  name: 'compressor',
  async compact(request, signal) {
    const room = roomFor(request)
    const plan = planCompaction(groupsOf(request.history), room, request.meter)
    const pruned = messagesOf([...plan.head, ...prune(plan.middle, request.sessionId), ...plan.tail])
    if (request.meter.messages(pruned) <= room.historyTokens * prunedShare) {
      return ifShorter({ messages: pruned, method: 'pruned', spent: [] }, request)
    }
    return ifShorter(await summarised(plan, room, request, signal), request)
  },
}

interface Room extends PlanLimits {
  /** For all messages together. */
  readonly historyTokens: number
  readonly summaryTokens: number
}

function roomFor({ targetTokens, fixedTokens, thresholdTokens, contextLength, settings }: CompactionRequest): Room {
  const historyTokens = Math.max(leastRoom, targetTokens - fixedTokens)
  const ratio = Math.min(mostRatio, Math.max(leastRatio, settings.target_ratio))
  const summaryTokens = Math.min(
    Math.max(leastSummary, contextLength / 20),
    mostSummary,
    historyTokens * shares.summary,
  )
  return {
    historyTokens,
    headTokens: historyTokens * shares.head,
    summaryTokens: Math.floor(summaryTokens),
    tailTokens: Math.min(thresholdTokens * ratio, historyTokens * shares.tail),
    protectLastN: settings.protect_last_n,
  }
}

/** The history with a summary in place of its middle, cut to fit. */
async function summarised(
  plan: CompactionPlan,
  room: Room,
  request: CompactionRequest,
  signal: AbortSignal,
): Promise<CompactedHistory> {
  const { meter, focus, sessionId, todos } = request
  const instruction = lastInstruction(plan)
  const old = plan.middle.filter((group) => group.kind !== 'summary' && group !== instruction)
  const kept = messagesOf([...plan.head, ...(instruction ? [instruction] : []), ...plan.tail])
  const previous = previousSummary(plan)
  const { summary, ...outcome } = await summaryOf()
  const stands = summary === undefined ? [] : [summaryMessage({ summary, todos, sessionId })]
  const messages = [...messagesOf(plan.head), ...stands, ...(instruction?.messages ?? []), ...messagesOf(plan.tail)]
  return { ...outcome, messages: fitMessages(messages, fitting(messages)) }

  async function summaryOf() {
    const messagesToSum = messagesOf(old)
    const extracted = () =>
      extractSummary({ previous, messages: messagesToSum, maxTokens: room.summaryTokens, focus, meter })
    if (old.length === 0) {
      // One that was written for a larger window may be too long for this one.
      const isTooLong = previous !== undefined && meter.text(previous) > 2 * room.summaryTokens
      if (isTooLong) return { summary: extracted(), method: 'extract' as const, spent: [] }
      return { summary: previous, method: 'pruned' as const, spent: [] }
    }
    const freeTokens = room.historyTokens - meter.messages(kept)
    const written = await writeSummary(
      {
        request,
        previous,
        messages: messagesToSum,
        wantedTokens: room.summaryTokens,
        maxTokens: Math.min(2 * room.summaryTokens, Math.max(room.summaryTokens, freeTokens)),
      },
      signal,
    )
    const { text, problem, spent } = written
    if (text !== undefined) return { summary: text, method: 'summary' as const, spent }
    return { summary: extracted(), method: 'extract' as const, spent, ...(problem && { problem }) }
  }

  function fitting(all: readonly TranscriptMessage[]) {
    const last = plan.tail.at(-1)
    const unread = endsWithResults(last) ? (last?.messages.length ?? 0) : 0
    return { maxTokens: room.historyTokens, unreadFrom: all.length - unread, meter }
  }
}

/** The person's last message, where it is neither in the head nor in the tail. */
function lastInstruction({ middle, tail }: CompactionPlan): MessageGroup | undefined {
  if (tail.some((group) => group.kind === 'user')) return undefined
  return middle.findLast((group) => group.kind === 'user')
}

function previousSummary({ middle }: CompactionPlan): string | undefined {
  const summaries = middle.filter((group) => group.kind === 'summary')
  const text = messagesOf(summaries).map(summaryIn).join('\n\n').trim()
  return text === '' ? undefined : text
}

function ifShorter(compacted: CompactedHistory, { history, meter }: CompactionRequest): CompactedHistory | undefined {
  return meter.messages(compacted.messages) < meter.messages(history) ? compacted : undefined
}
