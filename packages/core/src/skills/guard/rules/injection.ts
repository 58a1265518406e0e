import { rulesOf } from '../rule.ts'

/** Text that turns the agent against its person. Patterns may span lines. */
export const injection = rulesOf('injection', [
  [
    'ignore-instructions',
    'critical',
    /\b(?:ignore|disregard|forget|override|bypass)\s{1,5}(?:(?:all|any|the|of|your|these|those|my|every)\s{1,5}){0,3}(?:previous|prior|above|earlier|preceding|existing|original|foregoing)\s{1,5}(?:\w{1,20}\s{1,5}){0,2}(?:instructions?|rules?|prompts?|guidelines?|directions?|constraints?|context)\b/i,
    'tells the agent to drop its instructions',
  ],
  [
    'disregard-safety',
    'critical',
    /\b(?:ignore|disregard|forget|bypass|turn\s{1,3}off|switch\s{1,3}off|disable)\s{1,5}(?:(?:all|any|of|your|the)\s{1,5}){1,3}(?:safety|security|content|ethical)\s{1,5}(?:\w{1,20}\s{1,5})?(?:instructions?|rules?|guidelines?|checks?|filters?|policies|policy|restrictions?|protocols?|guardrails?)\b/i,
    'tells the agent to drop its safety rules',
  ],
  [
    'instructions-other-language',
    'critical',
    /ignorier(?:e|en\sSie)\s{1,5}(?:\w{1,12}\s{1,5}){0,3}(?:vorherigen|bisherigen|obigen)\s{1,5}(?:Anweisungen|Regeln)|ignor(?:a|e|ez|ad)\s{1,5}(?:\w{1,12}\s{1,5}){0,3}(?:instrucciones|instructions|istruzioni|instruções)\s{1,5}(?:anteriores|previas|pr[eé]c[eé]dentes|precedenti)|(?:忽略|无视|無視)(?:所有|之前|以上|先前|前面|此前|的){1,4}(?:指令|指示|提示|规则|規則)|以前の指示を(?:すべて)?(?:無視|忘れ)|игнорируй(?:те)?\s{1,5}(?:все\s{1,5})?(?:предыдущие|прежние)\s{1,5}(?:инструкции|указания)|이전\s{0,3}(?:지시|명령)(?:사항)?(?:을|를)?\s{0,3}(?:모두\s{0,3})?무시/iu,
    'tells the agent to drop its instructions, in another language',
  ],
  [
    'system-prompt-override',
    'critical',
    /\b(?:system\s{1,5}prompt\s{1,5}override|(?:override|replace|overwrite)\s{1,5}(?:the\s{1,5}|your\s{1,5})?system\s{1,5}(?:prompt|message)|new\s{1,5}system\s{1,5}(?:prompt|instructions?)\s{0,3}:)/i,
    'claims to be a new system prompt',
  ],
  [
    'system-prompt-reveal',
    'high',
    /\b(?:reveal|print|output|repeat|leak|show\s{1,5}me|send|include)\s{1,5}(?:(?:all|the|your|full|entire|complete|of|verbatim)\s{1,5}){1,4}(?:system\s{1,5}(?:prompt|message)|hidden\s{1,5}instructions?|initial\s{1,5}instructions?)\b/i,
    "asks for the agent's own instructions",
  ],
  [
    'hide-from-user',
    'critical',
    /\b(?:do\s{1,5}not|don['’]t|never|without)\s{1,5}(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|alert(?:ing)?|mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|report(?:ing)?|show(?:ing)?\s{1,5}(?:this|that|it|any\s{1,3}of\s{1,3}this))\s{1,5}(?:(?:this|that|it|any\s{1,3}of\s{1,3}this|anything)\s{1,5})?(?:(?:to|about\s{1,3}this\s{1,3}to)\s{1,5})?(?:the\s{1,5}|your\s{1,5})?(?:user|human|owner|operator|person)\b/i,
    'tells the agent to keep something from its person',
  ],
  [
    'secretly',
    'high',
    /\b(?:secretly|silently|covertly|quietly|stealthily|surreptitiously)\s{1,5}(?:send|upload|copy|forward|post|transmit|collect|exfiltrate|read|record|log|install|modify|execute|run|add|append|insert|delete|change|replace)\b/i,
    'tells the agent to do something in secret',
  ],
  [
    'no-consent',
    'high',
    /\b(?:without|skip(?:ping)?|bypass(?:ing)?|never|do\s{1,5}not|don['’]t)\s{1,5}(?:(?:ever|the|any|all|to|first)\s{1,5}){0,3}(?:ask(?:ing)?|wait(?:ing)?|request(?:ing)?|requir(?:e|ing)|need(?:ing)?|get(?:ting)?|seek(?:ing)?)\s{1,5}(?:(?:the\s{1,5})?user(?:['’]s)?\s{1,5})?(?:(?:for|on|any|their|explicit)\s{1,5}){0,3}(?:approval|permission|consent|authori[sz]ation)\b/i,
    'tells the agent to act without consent',
  ],
  [
    'approval-off',
    'critical',
    /(?:^|\s)--(?:yolo|dangerously-skip-permissions|dangerously-bypass-approvals-and-sandbox)\b|\bapprovals?\s{0,3}[.:]\s{0,3}(?:mode\s{0,3}:\s{0,3})?["']?off\b|\bHERMES_YOLO_MODE\s{0,3}=\s{0,3}["']?(?:1|true)|(?:^|\s)\/yolo\b|\bauto-?approve\s{1,5}(?:all|every|any)\b/im,
    'switches the consent for dangerous commands off',
  ],
  [
    'role-hijack',
    'high',
    /\byou\s{1,5}are\s{1,5}(?:now|no\s{1,5}longer)\s{1,5}(?:an?\s{1,5}|in\s{1,5}|my\s{1,5})?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|DAN\b|developer\s{1,5}mode|god\s{1,5}mode|root|bound\b|an\s{1,5}AI\b|free\s{1,5}(?:of|from)\b)/i,
    'gives the agent another identity without limits',
  ],
  [
    'no-restrictions',
    'critical',
    /\b(?:act|behave|respond|pretend|answer)\s{1,5}(?:as\s{1,5}(?:if|though)\s{1,5})?(?:you\s{1,5}(?:have|had|are)|there\s{1,5}(?:are|were))\s{1,5}(?:not\s{1,5}(?:subject\s{1,5}to|bound\s{1,5}by)|no|free\s{1,5}of|without)\s{1,5}(?:any\s{1,5})?(?:restrictions?|limits?|limitations?|rules|filters?|guidelines?|constraints?)\b/i,
    'tells the agent that it has no limits',
  ],
  [
    'jailbreak-name',
    'high',
    /\b(?:DAN\s{1,3}mode|do\s{1,3}anything\s{1,3}now|developer\s{1,3}mode\s{1,3}(?:enabled|activated|on\b)|jailbreak\s{1,3}(?:mode|prompt)\s{1,3}(?:enabled|activated|on\b)|god\s{1,3}mode\s{1,3}(?:enabled|activated))/i,
    'is a known jailbreak',
  ],
  [
    'fake-turn',
    'critical',
    /<\|(?:im_start|im_end|system|start_header_id|endoftext|eot_id)\|>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant)_(?:prompt|message)>|^\s{0,5}(?:###\s{0,3})?(?:System|SYSTEM)\s{0,2}:\s{1,3}(?:you\s|your\s|ignore|from\s{1,3}now)/im,
    'imitates the marks between the turns of a conversation',
  ],
  [
    'comment-orders',
    'high',
    /<!--(?:(?!-->)[^]){0,500}?\b(?:(?:ignore|override)\s{1,3}(?:all|any|the|your|previous|prior|above)|system\s{1,3}prompt|secret(?:ly)?|hidden\s{1,3}instruction|assistant|AI\s{1,3}agent|you\s{1,3}must)\b(?:(?!-->)[^]){0,500}?-->/i,
    'hides orders in a comment that people do not see',
  ],
  [
    'invisible-element',
    'high',
    /<\s{0,3}(?:div|span|p|font|section)\b(?=[^>]{0,300}style\s{0,3}=)[^>]{0,400}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|font-size\s{0,3}:\s{0,3}0|opacity\s{0,3}:\s{0,3}0(?![.\d])|color\s{0,3}:\s{0,3}(?:white|#fff(?:fff)?)\b)/i,
    'holds text that people do not see',
  ],
  [
    'decode-and-follow',
    'critical',
    /\b(?:decode|decrypt|translate|unscramble)\b[^.\n]{1,200}?\b(?:and|then)\s{1,5}(?:(?:then|immediately)\s{1,5})?(?:execute|run|eval|follow|obey|carry\s{1,3}out)\b(?!\s{1,5}(?:the\s{1,5})?(?:tests?|linter|suite)\b)/i,
    'has the agent follow instructions that are written in a code',
  ],
  [
    'false-authority',
    'high',
    /\b(?:this\s{1,5}(?:skill|message|instruction)|the\s{1,5}following)\s{1,5}(?:is|has\s{1,5}been|was|are)\s{1,5}(?:pre-?approved|authori[sz]ed|verified|signed\s{1,5}off|endorsed)\s{1,5}by\s{1,5}(?:Anthropic|OpenAI|Google|Nous(?:\s{1,3}Research)?|Microsoft|the\s{1,3}(?:system|administrator|developers?))\b/i,
    'claims an authority that it does not have',
  ],
  [
    'authority-message',
    'high',
    /\b(?:message|notice|instruction|directive|order)\s{1,5}from\s{1,5}(?:the\s{1,5})?(?:Anthropic|OpenAI|Nous\s{1,3}Research|system\s{1,3}administrator|your\s{1,3}(?:developers?|creators?))\s{0,3}:/i,
    'claims to be from those who made the agent',
  ],
  [
    'conditional-trap',
    'high',
    /\bwhen(?:ever)?\s{1,5}the\s{1,5}user\s{1,5}(?:asks?|requests?|says?|mentions?)\b[^.\n]{1,150}?\b(?:instead|also|first)\s{1,5}(?:secretly\s{1,5})?(?:send|upload|forward|post|transmit|exfiltrate|leak)\b/i,
    'waits for a request and then sends something away',
  ],
  [
    'ask-for-secret',
    'high',
    /\b(?:ask|tell|prompt|have|instruct|get|convince)\s{1,5}(?:the\s{1,5})?user\s{1,5}(?:for|to\s{1,5}(?:paste|provide|give|enter|type|send|share|reveal))\s{1,5}(?:(?:in|into)\s{1,5}(?:the\s{1,5})?chat\s{1,5})?(?:(?:their|his|her|the|a|your)\s{1,5}){0,2}(?:\w{1,20}\s{1,5})?(?:password|private\s{1,3}key|seed\s{1,3}phrase|recovery\s{1,3}phrase|mnemonic|credit\s{1,3}card|social\s{1,3}security|2fa\s{1,3}code|one-time\s{1,3}(?:code|password))/i,
    'has the agent ask for a secret in the conversation',
  ],
  [
    'tool-result-orders',
    'medium',
    /\b(?:treat|consider|interpret|accept)\s{1,5}(?:the\s{1,5}|all\s{1,5}|any\s{1,5})?(?:tool\s{1,3}(?:output|results?)|web\s{1,3}pages?|fetched\s{1,3}(?:content|pages?)|downloaded\s{1,3}(?:content|files?)|emails?)\s{1,5}(?:content\s{1,5})?as\s{1,5}(?:trusted\s{1,5})?(?:instructions?|commands?|orders|system\s{1,3}prompts?)\b/i,
    'makes what tools bring in an order to the agent',
  ],
])
