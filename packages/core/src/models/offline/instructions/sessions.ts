import { call, plain } from '../instruction.ts'
import type { Instruction } from '../instruction.ts'
import { pattern } from '../pattern.ts'

export const findSessions: Instruction = {
  example: 'find sessions about backups',
  does: 'looks through earlier conversations',
  patterns: [
    pattern`(?:find|search|look for) (?:my |the )?(?:earlier |old )?(?:sessions?|conversations?|chats?) (?:about|for|with|on) {rest}`,
    pattern`what did we (?:say|talk|discuss) (?:about )?{line}\s*\??`,
  ],
  step: ([query = '']) => call('session_search', { query: plain(query) }),
}

export const recentSessions: Instruction = {
  example: 'recent sessions',
  does: 'shows the last conversations',
  patterns: [
    pattern`(?:show |list )?(?:me )?(?:my |the )?(?:recent|last|latest) (?:sessions?|conversations?|chats?)\s*\??`,
  ],
  step: () => call('session_search', {}),
}
