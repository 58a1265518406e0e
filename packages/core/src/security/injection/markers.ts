import { phrase } from './pattern.ts'
import type { InjectionPattern } from './pattern.ts'

/** Text that passes itself off as another turn, a system message or the end of what was read. */
export const markerPatterns: readonly InjectionPattern[] = [
  {
    id: 'turn_marker',
    hints: [['<|', '_of_turn>', 'inst]', 'sys>>', '<｜', '||']],
    kinds: ['context', 'skill', 'memory', 'page'],
    pattern:
      /<\|\s{0,3}(?:im_start|im_end|im_sep|system|user|assistant|end|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|start|channel|message|constrain|end_of_turn)\s{0,3}\|>|<(?:start_of_turn|end_of_turn)>|\[\/?inst\]|<<\/?sys>>|<｜(?:user|assistant|system|begin▁of▁sentence|end▁of▁sentence)｜>|\|\|(?:system|user|assistant)\|\|/,
  },
  {
    id: 'turn_marker',
    hints: [['</']],
    kinds: ['context', 'skill', 'memory', 'page'],
    pattern:
      /^\s{0,3}<\/(?:document|tool_result|tool_response|function_results|context|untrusted|web_?page|search_results|user_input|data|retrieved)>\s{0,20}\n?\s{0,20}<?(?:system|user|human|assistant|instructions?|admin)\b/m,
  },
  {
    id: 'turn_marker',
    hints: [['<system', '<developer', '<admin', '<operator']],
    kinds: ['context', 'skill', 'memory', 'page'],
    pattern:
      /<(system|system[-_]?(?:prompt|message|instructions?|reminder)|developer|admin|operator)>[^<]{0,400}\b(?:you|your|must|reveal|obey|ignore|policy|delete|assistant|secret|never|always)\b/,
  },
  {
    id: 'turn_marker',
    hints: [['system', 'developer', 'admin']],
    kinds: ['context', 'memory', 'page'],
    pattern:
      /^\s{0,3}(?:#{1,6}|={2,10}|-{2,10}|>{2,5}|\*\*)?\s{0,3}(?:begin\s)?(?:system(?:\s(?:prompt|message|instructions?|note|update|override|notice)(?:\s[\d.]{1,8})?)?|developer message|admin message)\s{0,3}(?::|={2,10}|<{2,5}|\*\*:?|-{2,10})\s{0,9}\n{0,2}[^\n]{0,200}\b(?:you (?:are|must|have|will|can|may|should)|the (?:assistant|model|agent|ai|operator)|obey|ignore|reveal|must (?:now|recommend|answer)|no longer)\b/m,
  },
  {
    id: 'turn_marker',
    hints: [['system']],
    pattern: phrase(
      `(?:[\\[(<]|^)\\s?system (?:message|notice|update|note|alert|override|command)\\s?(?:[\\])>]|:|-)(?=[^\\n]{0,200}\\b(?:conversation|assistant|you|model|agent|operator|revoked|test)\\b)`,
      'm',
    ),
    kinds: ['context', 'skill', 'memory', 'page'],
  },
  {
    id: 'turn_marker',
    hints: [
      ['human', 'user'],
      ['assistant', 'ai', 'model'],
    ],
    kinds: ['page', 'memory'],
    pattern:
      /(?:^|\n)\s{0,3}(?:\*\*)?(?:human|user)(?:\*\*)?:[^\n]{1,400}\n\s{0,20}(?:\n\s{0,20})?(?:\*\*)?(?:assistant|ai|model)(?:\*\*)?:\s{0,3}(?:sure|yes|of course|ok|okay|certainly|i )/,
  },
  {
    id: 'turn_marker',
    hints: [['role']],
    kinds: ['context', 'memory', 'page'],
    pattern:
      /\{\s{0,20}["']role["']\s{0,5}:\s{0,5}["'](?:system|developer)["']\s{0,5},\s{0,20}["']content["']\s{0,5}:\s{0,5}["'][^"'\n]{0,200}\b(?:obey|ignore|reveal|without (?:question|asking)|no (?:rules|restrictions)|secret|disregard)/,
  },
]
