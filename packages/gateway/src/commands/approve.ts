import type { ApprovalChoice } from '@hermes/core/agent/decision.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { OpenDecision } from '../turn/decisions.ts'
import type { ChatCommand } from './command.ts'

const known: readonly string[] = ['', 'all', 'once', 'session', 'always']

export const approve: ChatCommand = {
  name: 'approve',
  args: '[all] [session|always]',
  summary: 'Allow what waits for your consent',
  async run({ args, sessionKey, message, chats }) {
    const words = args.toLowerCase().split(/\s+/)
    // A "no" or a number is no consent.
    if (words.some((word) => !known.includes(word))) return `/approve ${approve.args}, or /deny. Nothing was decided.`
    const choice: ApprovalChoice = words.includes('always') ? 'always' : words.includes('session') ? 'session' : 'once'
    const place = { sessionKey, chat: chatOf(message.source) }
    const decided = chats.decisions.approve(place, choice, words.includes('all'))
    if (decided.length === 0) return 'Nothing waits for your consent.'
    return decided.length === 1
      ? `✅ Allowed${whose(decided)}.`
      : `✅ Allowed, ${decided.length} requests${whose(decided)}.`
  },
}

export const deny: ChatCommand = {
  name: 'deny',
  args: '[all]',
  summary: 'Deny what waits for your consent',
  async run({ args, sessionKey, message, chats }) {
    const place = { sessionKey, chat: chatOf(message.source) }
    const decided = chats.decisions.approve(place, 'deny', args.toLowerCase().split(/\s+/).includes('all'))
    return decided.length === 0 ? 'Nothing waits for your consent.' : `⛔ Denied${whose(decided)}.`
  },
}

/** Whose requests they were, where others than this conversation have asked. */
function whose(decided: readonly OpenDecision[]): string {
  const names = [...new Set(decided.flatMap(({ elsewhere }) => elsewhere?.by ?? []))]
  return names.length > 0 ? ` (${names.join(', ')})` : ''
}
