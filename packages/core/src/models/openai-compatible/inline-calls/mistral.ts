import type { InlineCall, InlineCallFormat } from './format.ts'
import { jsonCalls, jsonObjects } from './json-calls.ts'

/** Mistral: a JSON list, or since version 11 each call's name followed by its arguments. */
export const mistral: InlineCallFormat = {
  open: '[TOOL_CALLS]',
  parse: (block) => {
    const text = block.trim()
    return text.startsWith('[') || text.startsWith('{') ? jsonCalls(text) : namedCalls(text)
  },
}

function namedCalls(text: string): readonly InlineCall[] {
  const calls: InlineCall[] = []
  let rest = text
  while (rest !== '') {
    const head = /^\s*(?:\[TOOL_CALLS\])?\s*([\w.:-]+)\s*(?:\[CALL_ID\][\w-]*\s*)?(?:\[ARGS\])?\s*/.exec(rest)
    if (!head?.[1]) break
    rest = rest.slice(head[0].length)
    const object = rest.startsWith('{') ? (jsonObjects(rest)[0] ?? '') : ''
    calls.push({ name: head[1], arguments: object })
    rest = rest.slice(object.length)
  }
  return calls
}
