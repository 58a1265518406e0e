import { call, plain, say } from '../instruction.ts'
import type { Instruction } from '../instruction.ts'
import { pattern } from '../pattern.ts'
import { rememberedEntries } from '../remembered.ts'

export const remember: Instruction = {
  example: 'remember that the server is called atlas',
  does: 'keeps a fact for later sessions',
  patterns: [
    pattern`(?:remember|note|memori[sz]e) (?:that |this\s*[:：]\s*){rest}`,
    pattern`(?:remember|note|memori[sz]e)\s*[:：]\s*{rest}`,
    pattern`remember {rest}`,
  ],
  step: ([text = '']) => {
    const content = plain(text)
    return call('memory', { action: 'add', target: isAboutPerson(content) ? 'user' : 'memory', content })
  },
}

export const forget: Instruction = {
  example: 'forget atlas',
  does: 'drops what was remembered with these words',
  patterns: [pattern`forget (?:that |about )?{rest}`],
  step: ([text = '']) => {
    const content = plain(text)
    return call('memory', { action: 'remove', target: isAboutPerson(content) ? 'user' : 'memory', old_text: content })
  },
}

export const recall: Instruction = {
  example: 'what do you remember?',
  does: 'says what was kept',
  patterns: [
    pattern`what (?:do|did) you (?:remember|know)(?: (?:about|of) (?:me|us|it))?\s*\??`,
    pattern`(?:show )?(?:your )?memor(?:y|ies)\s*\??`,
  ],
  step: (_, { messages }) => {
    const entries = rememberedEntries(messages)
    if (entries.length === 0)
      return say('I remember nothing yet. Tell me, for example: remember that the server is called atlas')
    return say(`This is what I remember:\n${entries.map((entry) => `- ${entry.replaceAll('\n', '\n  ')}`).join('\n')}`)
  },
}

function isAboutPerson(text: string): boolean {
  return /^(?:i|i'm|i’m|my|me|we|our)\b/iu.test(text)
}
