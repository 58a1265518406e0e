import { overlap } from '../overlap.ts'
import type { InlineCallFormat } from './format.ts'
import { jsonCalls, jsonObjects } from './json-calls.ts'

/** Llama 3 and 4: objects after the tag, parted by semicolons. */
export const llama: InlineCallFormat = {
  open: '<|python_tag|>',
  close: '<|eom_id|>',
  parse: (block) => jsonCalls(block),
}

/** DeepSeek V3 (a type, the name, fenced JSON) and V3.1 (the name, bare JSON). */
export const deepseek: InlineCallFormat = {
  open: '<｜tool▁calls▁begin｜>',
  close: '<｜tool▁calls▁end｜>',
  parse: (block) =>
    parts(block, '<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>').flatMap((part) => {
      const [head = '', tail = ''] = headAndTail(part, '<｜tool▁sep｜>')
      // V3 puts the kind of call first and the name on the line after the separator.
      const name = head.trim() === 'function' ? (/^\s*([\w.:-]+)/.exec(tail)?.[1] ?? '') : head.trim()
      return name === '' ? [] : [{ name, arguments: jsonObjects(tail)[0] ?? '' }]
    }),
}

/** Kimi K2: `functions.NAME:POSITION`, then the arguments. */
export const kimi: InlineCallFormat = {
  open: '<|tool_calls_section_begin|>',
  close: '<|tool_calls_section_end|>',
  parse: (block) =>
    parts(block, '<|tool_call_begin|>', '<|tool_call_end|>').flatMap((part) => {
      const [head = '', tail = ''] = headAndTail(part, '<|tool_call_argument_begin|>')
      const name = /^(?:functions\.)?(.+?)(?::\d+)?$/.exec(head.trim())?.[1]
      return name === undefined ? [] : [{ name, arguments: tail.trim() }]
    }),
}

/** What stands between two tokens, each time; the last may lack its end. */
function parts(text: string, begin: string, end: string): readonly string[] {
  return text
    .split(begin)
    .slice(1)
    .map((part) => part.split(end)[0] ?? '')
}

/** What stands before a token and after it. In a part that is cut off, the token may be there in part. */
function headAndTail(part: string, token: string): readonly string[] {
  const at = part.indexOf(token)
  return at < 0
    ? [part.slice(0, part.length - overlap(part, token))]
    : [part.slice(0, at), part.slice(at + token.length)]
}
