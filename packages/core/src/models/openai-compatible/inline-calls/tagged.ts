import type { ToolSchema } from '../../model.ts'
import type { InlineCall, InlineCallFormat } from './format.ts'
import { jsonCalls } from './json-calls.ts'
import { typedArguments } from './typed-arguments.ts'

/** Hermes and Qwen write JSON between the tags, Qwen3-Coder function tags, GLM a name and pairs of keys and values. */
export const toolCallTag: InlineCallFormat = {
  open: '<tool_call>',
  close: '</tool_call>',
  parse: (block, tools) => {
    const text = block.trim()
    if (text.startsWith('{') || text.startsWith('[')) return jsonCalls(text)
    return text.startsWith('<function=') ? functionTags(text, tools) : keysAndValues(text, tools)
  },
}

/** LongCat: as Hermes, with a tag of its own. */
export const longcatTag: InlineCallFormat = {
  open: '<longcat_tool_call>',
  close: '</longcat_tool_call>',
  parse: (block) => jsonCalls(block),
}

/** Qwen3-Coder when it forgets the outer tag. */
export const functionTag: InlineCallFormat = {
  open: '<function=',
  close: '</function>',
  parse: (block, tools) => functionTags(`<function=${block}`, tools),
}

function functionTags(text: string, tools: readonly ToolSchema[]): readonly InlineCall[] {
  return [...text.matchAll(/<function=([^>\s]+)>([^]*?)(?=<\/function>|<function=|$)/g)].map(
    ([, name = '', body = '']) => {
      const values = [...body.matchAll(/<parameter=([^>\s]+)>([^]*?)(?=<\/parameter>|<parameter=|$)/g)]
      const pairs = values.map(([, key = '', value = '']): [string, string] => [key, withoutFrame(value)])
      return { name, arguments: typedArguments(name, pairs, tools) }
    },
  )
}

function keysAndValues(text: string, tools: readonly ToolSchema[]): readonly InlineCall[] {
  const name = /^[\w.:-]+/.exec(text)?.[0]
  if (name === undefined) return []
  const pairs = [...text.matchAll(/<arg_key>([^]*?)<\/arg_key>\s*<arg_value>([^]*?)(?=<\/arg_value>|<arg_key>|$)/g)]
  const values = pairs.map(([, key = '', value = '']): [string, string] => [key.trim(), value])
  return [{ name, arguments: typedArguments(name, values, tools) }]
}

/** The line breaks right inside a tag belong to the layout. */
function withoutFrame(value: string): string {
  return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '')
}
