import type { TranscriptMessage } from '../../../models/transcript.ts'
import type { categories } from './fact-store.ts'

export interface FoundFact {
  readonly content: string
  readonly category: (typeof categories)[number]
}

/** Most facts of one conversation. */
const maxFacts = 20

const [leastChars, mostChars] = [10, 400]

/** Sentences in which people say what holds beyond the moment. */
const patterns: readonly (readonly [FoundFact['category'], RegExp])[] = [
  ['user_pref', /\bI(?:'d)?\s+(?:really\s+)?(?:prefer|like|love|dislike|hate|use|always|never|usually)\b/i],
  ['user_pref', /\bmy\s+(?:[\w-]+\s+){1,4}(?:is|are)\b/i],
  ['project', /\bwe\s+(?:have\s+)?(?:decided|agreed|chose|settled|switched)\b/i],
  ['project', /\b(?:the|this|our)\s+(?:project|repo|repository|team|service|app)\s+(?:uses|needs|requires|runs)\b/i],
]

/** What a person said of themselves and their projects, without asking a model. */
export function factsInConversation(messages: readonly TranscriptMessage[]): FoundFact[] {
  const found = new Map<string, FoundFact>()
  for (const message of messages) {
    if (message.role !== 'user') continue
    for (const part of message.content.split(/(?<=[.!?])\s+|\n+/)) {
      const content = part.trim()
      if (content.length < leastChars || content.length > mostChars || content.endsWith('?')) continue
      const match = patterns.find(([, pattern]) => pattern.test(content))
      if (match && found.size < maxFacts) found.set(content, { content, category: match[0] })
    }
  }
  return [...found.values()]
}
