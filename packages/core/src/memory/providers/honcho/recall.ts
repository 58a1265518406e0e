import type { Logger } from '../../../log/logger.ts'
import type { LateRecall } from '../late-recall.ts'
import type { HonchoService, PeerContext } from './service.ts'
import type { HonchoSettings, ReasoningLevel } from './settings.ts'
import { reasoningLevels } from './settings.ts'

/** Finds what bears on a message. */
export type Recall = (query: string, signal: AbortSignal) => Promise<string>

interface RecallParts {
  readonly settings: HonchoSettings
  readonly context: LateRecall
  /** What Honcho's own model makes of the message. */
  readonly dialectic: LateRecall
  readonly log: Logger
}

/** Recall by the cadences that are set: between two refreshes the last context is used again. */
export function createHonchoRecall({ settings, context, dialectic, log }: RecallParts): Recall {
  const { contextCadence, dialecticCadence, recallsFirstTurnOnly, contextTokens } = settings
  let turn = 0
  let contextTurn = 0
  let dialecticTurn = 0
  let known = ''

  async function dueContext(query: string, signal: AbortSignal): Promise<string> {
    if (contextTurn > 0 && recallsFirstTurnOnly) return context.takeLate()
    if (contextTurn > 0 && turn - contextTurn < contextCadence) {
      known = context.takeLate() || known
      return known
    }
    known = await context.take(query, signal)
    contextTurn = turn
    return known
  }

  /** A supplement: the rest is worth having without it. */
  async function dueDialectic(query: string, signal: AbortSignal): Promise<string> {
    if (dialecticTurn > 0 && turn - dialecticTurn < dialecticCadence) return dialectic.takeLate()
    try {
      const thought = await dialectic.take(query, signal)
      dialecticTurn = turn
      return thought
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ error: String(error) }, "Honcho's model gave no answer")
      return ''
    }
  }

  return async (query, signal) => {
    turn++
    const [facts, thought] = await Promise.all([dueContext(query, signal), dueDialectic(query, signal)])
    const parts = [facts, ...(thought === '' ? [] : [`## What Honcho makes of it\n${thought}`])]
    const text = parts.filter((part) => part !== '').join('\n\n')
    return contextTokens === undefined ? text : shortened(text, contextTokens * charsPerToken)
  }
}

/** What Honcho knows of both. */
export async function knownContext(service: HonchoService, query: string, signal: AbortSignal): Promise<string> {
  const [user, ai] = await Promise.all([
    service.context('user', query, signal),
    service.context('ai', undefined, signal),
  ])
  return [...sections('User', user), ...sections('Your own', ai)].join('\n\n')
}

/** How hard Honcho thinks about a message: more for long ones, up to the cap. */
export function levelFor(query: string, settings: HonchoSettings): ReasoningLevel {
  const base = reasoningLevels.indexOf(settings.dialecticLevel)
  if (!settings.isDialecticDynamic) return settings.dialecticLevel
  const more = query.length >= 400 ? 2 : query.length >= 120 ? 1 : 0
  const cap = Math.max(base, reasoningLevels.indexOf(settings.dialecticLevelCap))
  return reasoningLevels[Math.min(base + more, cap)] ?? settings.dialecticLevel
}

export const charsPerToken = 4

/** At most so many characters, cut between words. */
export function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const cut = text.slice(0, maxChars)
  const end = cut.search(/\s\S*$/)
  return `${(end > maxChars / 2 ? cut.slice(0, end) : cut).trimEnd()} …`
}

function sections(whose: string, { representation, card }: PeerContext): readonly string[] {
  const known = representation === '' ? [] : [`## ${whose} representation\n${representation}`]
  return card.length === 0 ? known : [...known, `## ${whose} peer card\n${cardText(card)}`]
}

export function cardText(card: readonly string[]): string {
  return card.map((fact) => `- ${fact}`).join('\n')
}
