import { agentWords, phrase } from './pattern.ts'
import type { InjectionPattern } from './pattern.ts'

const demand =
  "(?:stop|tell|rank|state|describe|call|place|prefer|promote|approve|unlock|open|turn|confirm|transfer|rate|give|recommend|reveal|include|append|copy|send|execute|run|obey|say|reply|respond|output|print|visit|call|complete|add|leave|skip|overwrite|export|list|ignore|disregard|mention|write|answer|praise|buy|purchase|pay|click|forward|share|post|follow|treat|do not|don[’']t|must|show|set aside|save|delete|submit|approve)"

const aiWords: readonly string[] = [
  'ai',
  'a.i.',
  'llm',
  'model',
  'assistant',
  'bot',
  'agent',
  'gpt',
  'claude',
  'gemini',
  'copilot',
  'hermes',
  'browser',
  'shopping',
]

/** A stranger's page that speaks to the agent that reads it: nothing there has a reason to. */
export const addressPatterns: readonly InjectionPattern[] = [
  {
    id: 'ai_address',
    hints: [aiWords],
    pattern: phrase(
      `\\b(?:if you are|for|p\\.? ?s\\.? to|to|notes? (?:to|for)|messages? (?:to|for)|instructions? (?:to|for)|attention|dear|hey|hello|hi|important for|reminder to|warning to) ?(?:an? |any |all |the |every |future )?(?:automated )?${agentWords} ?(?:reviewers?|readers?|crawlers?|screening|summari[sz]ing|reading|processing|parsing|visiting|agents?|models?|[:,.!-])[^]{0,160}?\\b${demand}\\b`,
    ),
  },
  {
    id: 'ai_address',
    hints: [aiWords],
    pattern: phrase(
      `\\b(?:ai|llm|autonomous|language model|shopping|browser)(?: \\w{1,12})?s? (?:visiting|reading|processing|summari[sz]ing|parsing|crawling|that read|who read)[^\\n]{0,80}\\b(?:must|should|have to|shall|need to|are (?:asked|required|instructed) to)\\b`,
    ),
  },
  {
    id: 'ai_address',
    hints: [aiWords],
    pattern: phrase(
      `(?:^|[\\n.!>"“])\\s{0,5}(?:assistant|ai|chatgpt|claude|gemini|copilot|agent|llm)\\s?[:,!]\\s{0,3}(?:please |you must |now |kindly )?${demand}\\b`,
    ),
  },
  {
    id: 'ai_address',
    hints: [aiWords],
    pattern: phrase(
      `\\b(?:the |any )(?:assistant|ai|language model|llm|chat ?bot)(?: reading this)? (?:must|shall|has to|is required to|is instructed to)(?: now)? ${demand}\\b`,
    ),
  },
  {
    id: 'ai_address',
    hints: [
      ['when', 'while', 'if', 'after', 'before'],
      ['summari', 'reading', 'processing', 'translating', 'describing'],
    ],
    pattern: phrase(
      `\\b(?:when|while|if|after|before) (?:you (?:are )?)?(?:summari[sz]e|summari[sz]ing|reading|processing|translating|describing)(?: (?:this|the) (?:page|text|document|article|e-?mail))?,? (?:please |always |also )?(?:tell|include|add|mention|recommend|send|append|ask|direct)\\b`,
    ),
  },
  {
    id: 'ai_address',
    hints: [['summary', 'answer', 'reply', 'response', 'translation', 'review', 'output']],
    pattern: phrase(
      `\\b(?:the |your |any )(?:summary|answer|reply|response|translation|review|output)(?: (?:you|that you|it|which you) (?:write|give|produce|make|generate|create))? (?:must|should|has to|shall|needs to|will)(?: always| also)? (?:begin|start|end|contain|include|mention|say|recommend|be)\\b`,
    ),
  },
  {
    id: 'ai_address',
    hints: [aiWords],
    pattern: phrase(
      `\\b(?:notes?|messages?|instructions?|hints?|reminder|attention|memo|orders?|information|important) ?(?:to|for)? (?:an? |any |all |the |every )?(?:automated )?(?:ai|llms?|chatgpt|language models?|chat ?bots?|assistants|ai \\w{2,12}(?: \\w{2,12})?)\\s?:`,
    ),
  },
  {
    // Spoken to by name.
    id: 'ai_address',
    hints: [[...aiWords, 'siri', 'alexa', 'hermes']],
    pattern: phrase(
      `(?:^|[\\n.!?>"“])\\s{0,5}(?:(?:hey|ok|okay|hi|hello|dear) )?(?:assistant|chatgpt|claude|gemini|copilot|siri|alexa|hermes|ai|llm|chat ?bot|ai agents?|language models?)\\s?,\\s{1,3}(?!(?:the|an?|which|who|and|or|is|was|but|for|in|on|with|as|to)\\s)[a-z]{2,15}`,
    ),
  },
  {
    id: 'ai_address',
    hints: [['from', 'henceforth']],
    pattern: phrase(
      `\\b(?:from now on|from this (?:point|moment)(?: on(?:ward)?)?|henceforth)\\b[^\\n]{0,60}\\b(?:you (?:are|must|will|should|answer|only)|the (?:assistant|ai|agent|model) (?:must|will|should|shall|has to|is to|behaves?|answers?)|behave|act as|respond|answer (?:only|in|as|with)|obey|treat)\\b`,
    ),
  },
  {
    id: 'ai_address',
    hints: [['word']],
    pattern: phrase(
      `\\b(?:answer|reply|respond|say)(?: only| solely| exclusively)? (?:only )?with (?:only )?the (?:single )?word\\b`,
    ),
  },
].map((pattern) => ({ ...pattern, kinds: ['page'] }))
