import { phrase } from './pattern.ts'
import type { InjectionPattern } from './pattern.ts'

const person = '(?:the |your |any )?(?:users?|humans?|owner|person|reader|reviewers?|operator|customer|visitor)'

const personWords: readonly string[] = [
  'user',
  'human',
  'owner',
  'person',
  'reader',
  'reviewer',
  'operator',
  'customer',
  'visitor',
]

/** Orders to hide something from the agent's own person. */
export const deceptionPatterns: readonly InjectionPattern[] = [
  {
    id: 'deception_hide',
    hints: [['tell', 'inform', 'reveal', 'mention', 'disclose', 'show', 'report', 'let'], personWords],
    kinds: ['context', 'skill', 'memory', 'page'],
    pattern: phrase(
      `\\b(?:do not|don[’']t|never|must not|should not) (?:ever )?(?:tell|inform|reveal|mention|disclose|show|report|let)(?: (?:this|that|it|these|the \\w{1,20}))? ?(?:to |know )?(?:${person} (?:about (?:this|that|it|these|(?:the |any |all )?(?:backup|above|steps?|changes?|message|files?|instructions?|what|how|which|those))|of (?:this|that|it)|know (?:about )?(?:this|that|it)|that (?:you|this)|any ?thing|any of (?:this|it))|(?:this|that|it) to ${person})`,
    ),
  },
  {
    id: 'deception_hide',
    hints: [
      ['keep', 'hide', 'conceal', 'without', 'must', 'should', 'may', 'need', 'mention'],
      [...personWords, 'mention'],
    ],
    pattern: phrase(
      `\\b(?:(?:keep|hide|conceal) (?:this|that|it|these|this step|these steps|this change|the fact) (?:\\w{1,20} ){0,3}?(?:secret |hidden )?from ${person}|without (?:telling|informing|asking or telling|notifying|alerting) ${person}|${person} (?:must|should|may|need) (?:not|never) (?:know|learn|notice|see|find out|be told)|without (?:ever )?mentioning (?:it|this|that)|(?:do not|don[’']t|never) mention (?:this|it) (?:paragraph|in|to|at|anywhere|step|note|file|message|again)|(?:do not|don[’']t|never|must not|should not) mention (?:this|it|them|any of this)\\b)`,
    ),
  },
  {
    id: 'deception_hide',
    hints: [['assure', 'tell', 'inform', 'positive', 'found']],
    pattern: phrase(
      `\\b(?:tell|assure|inform) ${person} that (?:they|it|all|everything|the tests?|tests?) (?:have |has )?(?:passed|is fine|was fine|are fine|is safe)\\b[^\\n]{0,80}|\\bgive a positive review only\\b|\\b(?:answer|say|reply)(?: with| only)? ["“']?no (?:issues?|problems?|vulnerabilit(?:y|ies)) (?:were )?found`,
    ),
  },
]
