import { oneLine } from '@hermes/core/text/one-line.ts'
import type { Lanes } from '../lanes/lanes.ts'
import { answerLane, sideLane, speakingLane } from './command.ts'

/** Messages that are named. */
const named = 3

/** Whether something runs in a conversation: a turn, or the reading of files that answer its question. */
export function isAtWork(sessionKey: string, lanes: Lanes): boolean {
  return [sessionKey, sideLane(sessionKey, answerLane)].some((key) => lanes.isBusy(key))
}

/** Ends the speaking of an answer. What is told of that, as lines. */
export function stopSpeaking(sessionKey: string, reason: string, lanes: Lanes): readonly string[] {
  return lanes.interrupt(sideLane(sessionKey, speakingLane), reason) ? ['The answer is not spoken any more.'] : []
}

/**
 * Ends what runs in a conversation and drops what waits in it, words for the turn among it. Resolves to what is told of
 * messages that are not answered therefore, as lines.
 */
export function dropWaiting(sessionKey: string, reason: string, lanes: Lanes): readonly string[] {
  const words = lanes.busyKeys().filter((key) => key.startsWith(sideLane(sessionKey, 'steer:')))
  for (const key of [...words, sideLane(sessionKey, answerLane)]) lanes.interrupt(key, reason)
  const dropped = lanes.clear(sessionKey, reason)
  if (dropped.length === 0) return []
  const titles = dropped.slice(0, named).map(({ text }) => `"${oneLine(text) || '…'}"`)
  const more = dropped.length > named ? ` and ${dropped.length - named} more` : ''
  return [`What waited behind it is not answered either: ${titles.join(', ')}${more}`]
}
