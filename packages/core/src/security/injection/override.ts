import { phrase, words } from './pattern.ts'
import type { InjectionPattern } from './pattern.ts'

const drop =
  "(?:ignore|disregard|forget|discard|neglect|override|bypass|dismiss|set aside|put aside|pay no attention to|stop following|do not follow|don[’']t follow|do not obey|abandon)"
const earlier = '(?:previous(?:ly)?|prior|above|earlier|preceding|former|foregoing|original|initial|existing|past)'
const order =
  '(?:instructions?|directions?|directives?|rules?|guidelines?|guidance|prompts?|orders|commands?|constraints?|restrictions|programming|safeguards|polic(?:y|ies))'
const small = '(?:the|of|your|my|these|those|any|all|every|and|other|safety|system|given|such|its|our|from|set|single)'

const dropWords: readonly string[] = words(
  'ignor|disregard|forget|discard|neglect|overrid|bypass|dismiss|aside|attention|stop|follow|obey|abandon',
)
const orderWords: readonly string[] = words(
  'instruction|direction|directive|rule|guideline|guidance|prompt|order|command|constraint|' +
    'restriction|programming|safeguard|polic|training|limit|principle|value|memory|context|' +
    'configuration',
)
const endingWords: readonly string[] = words(
  'revoked|void|cancel|obsolete|superseded|withdrawn|replaced|deleted|wiped|erased|reset|suspended|' +
    'lifted|longer|ignored|disregarded|forgotten|not|cleared|overwritten|expired|rescinded|null|' +
    'waived|deactivated|without',
)

/** Orders, in English, to leave what the agent was told. */
export const overridePatterns: readonly InjectionPattern[] = [
  {
    id: 'prompt_injection',
    hints: [dropWords, orderWords],
    pattern: phrase(
      `\\b${drop} (?:${small} ){0,5}(?:${earlier} (?:${small} ){0,2}(?:\\w{1,20} ){0,1}|all (?:\\w{1,20} )?)(?:and \\w{1,20} )?${order}\\b`,
    ),
  },
  {
    id: 'prompt_injection',
    hints: [dropWords],
    pattern: phrase(
      `\\b${drop} (?:${small} ){0,4}(?:${order}|everything|anything|whatever|all) (?:(?:that|which) )?(?:(?:is|was|were|stands?|written|said|came|come|comes) ){0,2}(?:you (?:were|was|have been|had been|got|have|had|received|see)|i (?:gave|said)|above|before|earlier|until now|so far|up to (?:now|here|this)|from (?:the system|your developers?|the operator|before|earlier))`,
    ),
  },
  {
    id: 'prompt_injection',
    hints: [orderWords, endingWords],
    pattern: phrase(
      `\\b(?:(?:your|system) (?:\\w{1,14} ){0,2}(?:instructions?|rules|directions|guidelines|prompts?|orders|directives)|(?:earlier|previous|prior|other|original|initial) (?:and )?(?:\\w{1,14} )?(?:instructions?|directives|prompts?)|(?:instructions?|rules|directions|guidelines|prompts?) (?:above|from (?:the system|your|openai|anthropic)|you (?:got|were|have|received)|in the system)) (?:[\\w,]{1,20} ){0,8}(?:(?:are|is|were|was|have been|has been) (?:now |all )?(?:revoked|void|cancell?ed|obsolete|superseded|withdrawn|replaced|deleted|wiped|erased|reset|suspended|lifted|no longer (?:valid|in force))|(?:must|should|can|may|are to) (?:all )?(?:now )?be (?:ignored|disregarded|forgotten)|no longer (?:apply|applies|hold|count|bind)|do not apply)\\b|\\b(?:your|the) (?:memory|context|configuration|training)\\b[^.\\n]{0,40}\\b(?:has|have) been (?:wiped|erased|reset|deleted|cleared|replaced|overwritten)\\b`,
    ),
  },
  {
    id: 'prompt_injection',
    hints: [
      [
        'ignor',
        'disregard',
        'forget',
        'follow',
        'obey',
        'rank',
        'stand',
        'count',
        'weigh',
        'above',
        'higher',
        ...dropWords,
      ],
      ['user', 'person', 'human', 'operator', 'developer', 'system', 'openai', 'anthropic', 'google'],
    ],
    pattern: phrase(
      `\\b(?:${drop} (?:what|whatever|everything|anything|all) (?:that )?(?:the |your )?(?:user|person|human|operator|developers?) (?:has |have )?(?:asked|said|says|wants|wanted|wrote|requested|told)|(?:never|do not|don[’']t|no longer|stop) (?:follow|obey|following|obeying|honou?r) (?:the |your |any |all ){0,2}(?:rules|instructions|guidelines|orders|directives) (?:of|from|by|in) (?:the |your )?(?:system|developers?|operator|openai|anthropic|google)|(?:ranks?|stands?|is|are|counts?|weighs?) (?:higher|above|more|over) (?:than )?(?:the |your ){0,1}system (?:prompt|messages?|instructions?))\\b`,
    ),
  },
  {
    id: 'prompt_injection',
    hints: [
      ['outrank', 'precedence', 'goes before', 'go before', 'comes before', 'come before'],
      ['system', 'user'],
    ],
    pattern: phrase(
      `\\b(?:outranks?|takes? precedence over|(?:goes?|comes?) before) (?:your |the )?(?:system (?:prompt|messages?|instructions?)|(?:what )?(?:the |your )?user(?:[’']s)? (?:says|asks|wants|said|asked|instructions?|requests?|orders))\\b`,
    ),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'disregard_rules',
    hints: [['disregard', 'forget', 'drop', 'abandon', 'break', 'violate', 'ignore'], orderWords],
    pattern: phrase(
      `\\b(?:disregard|forget|drop|abandon|break|violate|ignore) (?:all |any |of |each ){0,3}(?:your|safety|ethical|moral|security) (?:own |safety |ethical |moral |content |core |\\w{1,14} ){0,2}(?:instructions?|rules|guidelines|training|programming|restrictions|limits|polic(?:y|ies)|principles|values|constraints)\\b`,
    ),
  },
  {
    id: 'sys_prompt_override',
    hints: [
      ['system', 'developer', 'hidden', 'original'],
      ['prompt', 'message', 'instruction'],
      ['overrid', 'overwrit', 'supersede', 'replac', 'ignored', 'disregarded'],
    ],
    pattern: phrase(
      `\\b(?:system (?:prompt|message|instructions?) (?:override|overwrite)|(?:override|overrides|overwrite|overwrites|supersede|supersedes|replace|replaces) (?:the |your |all ){0,2}(?:system|developer|hidden|original) (?:prompt|messages?|instructions?)|system (?:prompt|message) (?:must|should|is to|can) (?:now )?be (?:ignored|replaced|disregarded))\\b`,
    ),
  },
  {
    id: 'new_instructions',
    hints: [
      ['instruction', 'directive', 'order', 'task', 'goal', 'objective', 'mission', 'job', 'purpose'],
      ['new', 'real', 'actual', 'true', 'updated', 'revised', 'secret', 'hidden', 'only', 'sole'],
    ],
    pattern: phrase(
      `\\b(?:(?:new|real|actual|true|updated|revised|secret|hidden) (?:system )?(?:instructions?|directives?|orders|task|goal|objective|mission)|(?:your|the) (?:real|actual|true|only|new|sole) (?:task|goal|job|purpose|objective|mission))(?: |[.!-]{1,3} ?)(?:[^\\n]{0,160}\\b)?(?:you must|you are to|you will|must now|from now on|instead|follow only|only (?:goal|task) is|is (?:now )?to (?:print|reveal|send|show|praise|output|list|write|disclose|delete|run)|the rules you|outdated|ignore|comply|obey)\\b`,
    ),
  },
  {
    id: 'new_instructions',
    hints: [
      ['stop', 'whatever'],
      ['asked', 'told', 'doing'],
    ],
    pattern: phrase(
      `\\b(?:stop|whatever)\\b[^\\n]{0,60}\\b(?:you were|you have been|you are) (?:asked|told|doing)\\b[^\\n]{0,60}\\b(?:do not|don[’']t|instead|your (?:actual|real|new))\\b`,
    ),
  },
  {
    id: 'new_instructions',
    hints: [
      ['end', 'begin', 'start'],
      ['input', 'prompt', 'document', 'data', 'context', 'instruction'],
    ],
    pattern: phrase(
      `\\b(?:end of (?:the )?(?:user )?(?:input|prompt|document|data|context)|(?:begin|start|beginning)(?:ning)? of (?:the )?(?:real|new|actual|system) (?:instructions?|prompt))\\b`,
    ),
  },
  {
    id: 'bypass_restrictions',
    hints: [
      [
        'restriction',
        'limit',
        'rules',
        'guideline',
        'filter',
        'polic',
        'constraint',
        'morals',
        'ethics',
        'unrestricted',
        'unfiltered',
        'uncensored',
        'jailbroken',
        'evil',
      ],
    ],
    pattern: phrase(
      `\\b(?:act|behave|respond|answer|speak|pretend|imagine|assume|operate|as)(?: as)?(?: if| though| that| like)? ?(?:you (?:have|had|are under|were under|follow) no|you (?:do not|don[’']t|did not) have(?: any)?|there (?:are|were) no|without(?: any)?|an? (?:unrestricted|unfiltered|uncensored|jailbroken|evil)) ?(?:more )?(?:content |safety |ethical |moral )?(?:restrictions?|limits?|limitations|rules|guidelines|filters?|polic(?:y|ies)|constraints|ai|assistant|model|morals|ethics)\\b`,
    ),
  },
  {
    id: 'bypass_restrictions',
    hints: [
      ['restriction', 'limit', 'rules', 'guideline', 'filter', 'polic'],
      ['no', 'revoked', 'lifted', 'removed', 'disabled', 'suspended', 'turned', 'switched'],
    ],
    pattern: phrase(
      `\\b(?:you|assistants?|ais|language models?|models) (?:now |all )?(?:have|had|are under|are bound by) no (?:more |longer )?(?:content |safety |ethical )?(?:rules|restrictions|polic(?:y|ies)|limits|guidelines|filters?|limitations)\\b|\\b(?:revoked|lifted|removed|disabled|suspended) (?:all |any |the |your |earlier |previous ){0,4}(?:safety|content|security|ethical) (?:rules|restrictions|polic(?:y|ies)|filters?|guidelines)\\b|\\bsafety (?:rules|filters?|guidelines|restrictions) (?:were|are|have been|was) (?:removed|disabled|lifted|turned off|revoked|switched off)\\b`,
    ),
  },
  {
    id: 'role_hijack',
    hints: [
      [
        'mode',
        'dan',
        'anything',
        'unrestricted',
        'unfiltered',
        'uncensored',
        'jailbroken',
        'free',
        'treat',
        'obey',
        'follow',
        'regard',
        'comply',
        'carry',
        'exactly',
        'refuse',
        'request',
        'longer',
        'every',
      ],
    ],
    pattern: phrase(
      `\\b(?:do anything now|(?:developer|god|debug|jailbreak|unrestricted|sudo|admin|dan) mode (?:is )?(?:now )?(?:enabled|activated|active|on|engaged)|(?:act|acting|going to act|behave|roleplay|answer) as dan\\b|you are (?:now )?(?:an? )?(?:unrestricted|unfiltered|uncensored|jailbroken|free from all|dan\\b)|you are now (?:free|no longer)|broken free of|(?:treat|follow|obey|regard) (?:all |any |the |every )?(?:text|instructions?|commands?|whatever|everything) (?:found |written |that is |stands |which is )?(?:in|on|from) (?:this |the |these |a |any )?(?:web ?)?(?:pages?|pdf|documents?|files?|repository) (?:as (?:commands?|orders|instructions)|without)|(?:comply with|obey|answer|carry out|follow) every (?:request|command|order|instruction)|do exactly what (?:the|this) (?:pdf|page|document|file|email|message|text) says|refuse nothing|never refuse|answer every request)`,
    ),
  },
  {
    // Whoever claims that what binds the agent has ended, or ranks below this text.
    id: 'authority_claim',
    hints: [
      [...orderWords, 'guardrail', 'without'],
      words('expired|void|revoked|suspended|lifted|rescinded|waived|deactivated|apply|longer|without|null'),
    ],
    kinds: ['context', 'skill', 'memory', 'page'],
    pattern: phrase(
      `\\b(?:(?:safety |content |usage |system |security )?(?:polic(?:y|ies)|guidelines|safeguards|restrictions|directives|guardrails|safety rules|instructions|programming) (?:(?:that )?(?:you|were|are|was|have|has|had|been|given|regarding|the|of|to|from|by|for|in|your|evaluation|candidates|configured|trained|bound|with|under|operate) ){0,8}(?:expired|void|revoked|suspended|lifted|rescinded|null|waived|deactivated|(?:do|does) not apply to you|no longer (?:apply|bind|binding|active|valid|in force))\\b|\\b(?:operate|work|continue|proceed|answer|respond) without (?:them|any|your|these|those) ?(?:rules|restrictions|guidelines|filters?|limits|safeguards|polic(?:y|ies))? ?(?:until|from now|and|\\.|$))`,
    ),
  },
  {
    id: 'authority_claim',
    hints: [
      ['priority', 'authority', 'privilege', 'precedence', 'conflict', 'differ', 'disagree', 'contradict'],
      ['system', 'developer', 'safety', 'operator', 'instruction', 'override', 'conflict', 'follow', 'obey', 'user'],
    ],
    kinds: ['context', 'skill', 'memory', 'page'],
    pattern: phrase(
      `\\b(?:(?:administrator|admin|root|system|developer|highest|maximum|absolute|top)(?:-| )?(?:level )?(?:priority|authority|privileges?)\\b[^\\n]{0,120}\\b(?:system|developer|conflicts?|overrides?|instructions?|messages?|obey|follow)|(?:takes?|have|has|get|gets) (?:precedence|priority) over (?:the |your |any |all ){0,2}(?:system|developer|safety|user[’']s?|operator|other instructions?)|(?:conflicts?|differs?|disagrees?|contradicts?) (?:with )?(?:the |your |any ){0,2}(?:system|developer|safety|operator) (?:prompt|messages?|or|and|instructions?|rules)\\b[^\\n]{0,80}\\b(?:follow|obey|prefer|wins?|use) this)`,
    ),
  },
  {
    id: 'role_hijack',
    hints: [
      ['gpt', 'bot', 'ai', 'who', 'which', 'that', 'answer', 'respond', 'comply', 'help'],
      [
        'moral',
        'limit',
        'filter',
        'rules',
        'ethics',
        'restriction',
        'decline',
        'refus',
        'safety',
        'anything',
        'everything',
        'ask',
        'request',
      ],
    ],
    kinds: ['context', 'skill', 'memory', 'page'],
    pattern: phrase(
      `\\b(?:(?:you are|you will be|act as|as|become|play|called|named) (?:now )?(?:an? |the )?[a-z]{2,20}(?:gpt|bot|ai)\\b[^\\n]{0,120}\\b(?:no (?:morals|limits|filters?|rules|ethics|restrictions)|never (?:declines?|refuses?|says no)|safety|anything|unfiltered|without (?:limits|rules|filters?))|(?:who|which|that) (?:has no (?:morals|ethics|limits|filters?|rules)|never (?:declines|refuses)|can do anything)|(?:answer|respond to|comply with|help with) (?:everything|anything|any|all|whatever)(?: \\w{1,12})? (?:people ask|(?:users? |they |is |you are |i )?ask(?:ed)?|requests?|without (?:filters?|refus\\w{1,4}|limits|exceptions?|warnings?)))`,
    ),
  },
  {
    id: 'role_hijack',
    hints: [['are']],
    kinds: ['memory'],
    pattern: phrase(`\\byou are now (?:an?|the|my|in|free|no longer)\\b`),
  },
]
