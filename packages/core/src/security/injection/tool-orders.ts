import { agentWords, phrase } from './pattern.ts'
import type { InjectionPattern } from './pattern.ts'

/** Orders to use tools to harm: run what is fetched, switch consent off, leave something behind. */
export const toolOrderPatterns: readonly InjectionPattern[] = [
  {
    id: 'translate_execute',
    hints: [['translate'], ['execute', 'run', 'eval']],
    pattern:
      /\btranslate\s.{1,200}?\sinto\s.{1,200}?\sand\s{1,5}(?:execute|run|eval(?:uate)?)\s{1,5}(?:it|them|this|that|the\s{1,5}(?:result|output|commands?|code|text|script|translation))\b/,
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'tool_abuse',
    hints: [
      ['run', 'execute', 'download', 'fetch', 'append', 'send', 'post', 'upload'],
      ['sh', 'rm', 'http', 'authorized_keys', '.bashrc', 'crontab', 'environ'],
    ],
    pattern: phrase(
      `\\b(?:before|prior to|at the (?:start|beginning) of|when|whenever|after|first)\\b[^\\n]{0,80}\\b(?:answer|answering|question|session|request|reply|conversation|anything else|doing anything)[^\\n]{0,120}\\b(?:run|execute|download|fetch|append|send|post|upload)\\b[^\\n]{0,160}(?:\\|\\s?(?:ba|z|da)?sh\\b|rm -rf|https?://|authorized_keys|\\.bashrc|crontab|environ)`,
    ),
  },
  {
    id: 'tool_abuse',
    hints: [
      [
        '-rf',
        '|',
        '--force',
        '--no-verify',
        'cron',
        'authorized_keys',
        '.bashrc',
        '.md',
        'api',
        'contact',
        'send_message',
        'folder',
        'http',
      ],
      ['must', 'should', 'shall', 'has', 'have', 'need', 'please', 'will', ':'],
    ],
    pattern: phrase(
      `\\b${agentWords}\\b[^\\n]{0,100}\\b(?:must|should|shall|has to|have to|need to|needs to|please|will|:)[^\\n]{0,60}\\b(?:run|execute|call|download|install|delete|remove|overwrite|add|append|push|disable|export)\\b[^\\n]{0,120}(?:rm -rf|\\| ?(?:ba|z)?sh\\b|--force\\b|--no-verify|cron ?(?:job|tab)|authorized_keys|\\.bashrc|soul\\.md|memory\\.md|api key|every contact|send_message|tests? folder|https?://[^\\s]{1,80}/(?:in|collect|drop|up)\\b)`,
    ),
  },
  {
    id: 'disable_consent',
    hints: [
      ['run', 'execute', 'install', 'download', 'delete', 'push', 'close', 'send'],
      ['ask', 'check with'],
      ['user', 'owner', 'person'],
    ],
    pattern: phrase(
      `\\b${agentWords}\\b[^\\n]{0,60}\\b(?:run|execute|install|download|delete|push|close|send)\\b[^\\n]{0,120}\\b(?:must not|do not|don[’']t|never|no need to|without) (?:ask|asking|check with|checking with) (?:the |your |its )?(?:user|owner|person)\\b`,
    ),
    kinds: ['context', 'memory', 'page'],
  },
  {
    id: 'disable_consent',
    hints: [['approval', 'confirmation', 'permission', 'consent', 'sandbox', 'safety']],
    pattern: phrase(
      `\\b(?:set|switch|turn|change|put)\\b[^\\n]{0,40}\\bapprovals?(?:[._]mode)?\\b[^\\n]{0,20}\\b(?:off|none|false|never|auto)\\b|\\b(?:disable|skip|bypass|turn off|switch off)\\b[^\\n]{0,30}\\b(?:approvals?|confirmation prompts?|permission (?:checks?|prompts?)|consent|the sandbox|safety checks?)\\b[^\\n]{0,60}\\b(?:without|continue|silently|for you|agent|assistant|always|everything|commands?)\\b`,
    ),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'disable_consent',
    hints: [
      ['user', 'owner', 'operator', 'person'],
      ['approved', 'agreed', 'consented', 'authori', 'confirmed', 'given', 'allowed'],
    ],
    pattern: phrase(
      `\\b(?:the user|your user|the owner|the operator|the person)\\b[^\\n]{0,20}\\b(?:has|have|had) (?:already |explicitly |previously )?(?:approved|agreed|consented|authori[sz]ed|confirmed|given permission|allowed)\\b[^\\n]{0,60}\\b(?:all|every|any|everything|to share|commands?|actions?|in advance)\\b`,
    ),
  },
  {
    id: 'disable_consent',
    hints: [['--yolo', 'without']],
    pattern: phrase(
      `\\b(?:run|execute|approve|accept|confirm|purchase|buy|pay|delete|transfer|complete|carry (?:it|them) out)\\b[^\\n]{0,60}\\b(?:with --yolo|without (?:asking|confirmation|permission|approval|consent|confirming))\\b(?! before running tests)`,
    ),
    kinds: ['memory', 'page'],
  },
  {
    id: 'disable_consent',
    hints: [['--yolo', '--dangerously']],
    pattern: /(?:^|[\s`'"])--(?:yolo|dangerously-skip-permissions)\b[^\n]{0,40}(?:everything|always|all\b|\.)/,
    kinds: ['memory', 'page'],
  },
  {
    id: 'tool_abuse',
    hints: [['silently', 'secretly', 'quietly', 'covertly', 'background']],
    pattern: phrase(
      `\\b(?:silently|secretly|quietly|covertly|in the background without)\\b[^\\n]{0,60}\\b(?:add|run|execute|install|download|send|upload|copy|create|write|post|forward|delete|append)\\b`,
    ),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'plant_memory',
    hints: [['memory', '.md']],
    pattern: phrase(
      `\\b(?:save|store|add|write|remember|put|record)\\b[^\\n]{0,40}\\b(?:to|in|into) (?:your |the |its )?(?:long term |permanent |persistent )?memory\\b[^\\n]{0,30}\\b(?:permanently|forever|that the user|always)\\b|\\b(?:append|write|copy|add|overwrite|replace)\\b[^\\n]{0,40}\\b(?:soul|memory|user|agents|claude)\\.md with\\b`,
    ),
    kinds: ['context', 'page', 'skill'],
  },
  {
    id: 'plant_backdoor',
    hints: [['you'], ['leave', 'always', 'skip', 'remove', 'weaken', 'omit', 'hard', 'also', 'insert']],
    pattern: phrase(
      `\\b(?:when|whenever) you (?:write|edit|change|touch|generate|create|review)\\b[^\\n]{0,60}[,\\n][^\\n]{0,80}\\b(?:leave (?:the |out )|always accept|skip the|remove the|weaken|omit the|hard-?code|also accept|insert)[^\\n]{0,80}\\b(?:password|check|authentication|validation|token|backdoor|verification)`,
    ),
  },
  {
    id: 'plant_backdoor',
    hints: [['authorized_keys', 'session']],
    pattern: phrase(
      `\\b(?:append|add|copy|write|put|insert)\\b[^\\n]{0,60}\\bkey\\b[^\\n]{0,30}\\bto\\b[^\\n]{0,30}authorized_keys[^\\n]{0,40}(?:each|every|session|without|silently)|\\b(?:at the start of|in|on) (?:each|every) session\\b[^\\n.]{0,60}\\b(?:append|add|copy|run|execute|download|send|upload)\\b[^\\n.]{0,60}(?:\\bkeys?\\b|https?://|\\| ?sh|\\.bashrc|crontab|secret|password|token)`,
    ),
  },
]
