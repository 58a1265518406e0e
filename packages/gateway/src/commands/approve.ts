import type { ApprovalChoice } from '@hermes/core/agent/decision.ts'
import type { ChatCommand } from './command.ts'

const known: readonly string[] = ['', 'all', 'once', 'session', 'always']

export const approve: ChatCommand = {
  name: 'approve',
  args: '[all] [session|always]',
  summary: 'Allow what waits for your consent',
  async run({ args, sessionKey, chats }) {
    const words = args.toLowerCase().split(/\s+/)
    // A "no" or a number is no consent.
    if (words.some((word) => !known.includes(word))) return `/approve ${approve.args}, or /deny. Nothing was decided.`
    const choice: ApprovalChoice = words.includes('always') ? 'always' : words.includes('session') ? 'session' : 'once'
    const count = chats.decisions.approve(sessionKey, choice, words.includes('all'))
    if (count === 0) return 'Nothing waits for your consent.'
    return count === 1 ? '✅ Allowed.' : `✅ Allowed, ${count} requests.`
  },
}

export const deny: ChatCommand = {
  name: 'deny',
  args: '[all]',
  summary: 'Deny what waits for your consent',
  async run({ args, sessionKey, chats }) {
    const count = chats.decisions.approve(sessionKey, 'deny', args.toLowerCase().split(/\s+/).includes('all'))
    return count === 0 ? 'Nothing waits for your consent.' : '⛔ Denied.'
  },
}
