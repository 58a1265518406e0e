import type { ApprovalChoice } from '@hermes/core/agent/decision.ts'
import { oneLine } from '@hermes/core/text/one-line.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { OpenDecision } from '../turn/decisions.ts'
import type { ChatCommand, CommandCall } from './command.ts'
import { namedThread, ownThreads, threadOption, whichThread } from './own-threads.ts'
import type { OwnThread } from './own-threads.ts'

const known: readonly string[] = ['', 'all', 'once', 'session', 'always']

export const approve: ChatCommand = {
  name: 'approve',
  args: '[all] [session|always]',
  options: [
    threadOption,
    { name: 'all', about: 'All that waits', kind: 'flag', word: 'all' },
    { name: 'scope', about: 'For how long; once where nothing is chosen', choices: ['session', 'always'] },
  ],
  summary: 'Allow what waits for your consent',
  async run(call) {
    const { named, rest } = namedThread(call.args, ownThreads(call))
    const words = rest.toLowerCase().split(/\s+/)
    // A "no" or a number is no consent.
    if (words.some((word) => !known.includes(word))) return `/approve ${approve.args}, or /deny. Nothing was decided.`
    const choice: ApprovalChoice = words.includes('always') ? 'always' : words.includes('session') ? 'session' : 'once'
    const decided = decide(call, { choice, all: words.includes('all'), named })
    if (typeof decided === 'string') return decided
    return decided.length === 1
      ? `✅ Allowed${whose(decided, call)}.`
      : `✅ Allowed, ${decided.length} requests${whose(decided, call)}.`
  },
}

export const deny: ChatCommand = {
  name: 'deny',
  args: '[all]',
  options: [threadOption, { name: 'all', about: 'All that waits', kind: 'flag', word: 'all' }],
  summary: 'Deny what waits for your consent',
  async run(call) {
    const { named, rest } = namedThread(call.args, ownThreads(call))
    const decided = decide(call, { choice: 'deny', all: rest.toLowerCase().split(/\s+/).includes('all'), named })
    return typeof decided === 'string' ? decided : `⛔ Denied${whose(decided, call)}.`
  },
}

interface Verdict {
  readonly choice: ApprovalChoice
  readonly all: boolean
  readonly named: OwnThread | undefined
}

/**
 * Decides what waits in the chat, or, where nothing does, in threads of it that are the person's own; of several one has to
 * be named, or all of them meant. Resolves to what was decided, or to what is said instead.
 */
function decide(call: CommandCall, { choice, all, named }: Verdict): readonly OpenDecision[] | string {
  const { sessionKey, message, chats } = call
  const { decisions } = chats
  const here = named ? [] : decisions.approve({ sessionKey, chat: chatOf(message.source) }, choice, all)
  if (here.length > 0) return here
  const waiting = (key: string) => decisions.open(key).filter(({ request }) => request.kind === 'approval')
  const threads = named ? [named] : ownThreads(call).filter(({ key }) => waiting(key).length > 0)
  if (threads.length > 1 && !all) {
    const how = (name: string) => `/${call.name} ${[name, call.args].join(' ').trim()}`
    return whichThread(threads, how, ({ key }) => subjects(waiting(key)))
  }
  const decided = threads.flatMap(({ key }) => decisions.approve({ sessionKey: key }, choice, all))
  return decided.length > 0 ? decided : 'Nothing waits for your consent.'
}

/** What waits in a thread, since it is not seen from here. */
function subjects(waiting: readonly OpenDecision[]): string {
  return waiting.map(({ request }) => (request.kind === 'approval' ? `\n  ${oneLine(request.subject)}` : '')).join('')
}

/** Whose requests they were, where others than this conversation have asked. */
function whose(decided: readonly OpenDecision[], call: CommandCall): string {
  const threads = ownThreads(call)
  const names = decided.flatMap(({ elsewhere, sessionKey }) => {
    const thread = threads.find(({ key }) => key === sessionKey)
    return elsewhere?.by ?? (thread ? `the thread ${thread.title}` : [])
  })
  return names.length > 0 ? ` (${[...new Set(names)].join(', ')})` : ''
}
