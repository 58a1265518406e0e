import type { ToolSchema } from '../model.ts'
import { argumentRules, literal } from './schema-grammar.ts'
import type { ArgumentRules } from './schema-grammar.ts'

/** How a family of models begins a call, and what must follow from there. */
export interface CallForm {
  /** What a call begins with. */
  readonly open: string
  /** Only at the very beginning of an answer. */
  readonly isFirst?: true
  /** What a call ends with; the grammar holds until then. Absent where the answer ends with it. */
  readonly close?: string
  /** What follows `open`, as the body of a grammar's rule. */
  readonly body: (call: string) => string
  /** The name of the field that holds the arguments, and whether `open` has begun the call's object. */
  readonly argumentsField: 'arguments' | 'parameters'
  readonly isBegun?: true
}

const hermes: CallForm = {
  open: '<tool_call>',
  close: '</tool_call>',
  argumentsField: 'arguments',
  body: (call) => `ws ${call} ws "</tool_call>"`,
}

const longcat: CallForm = {
  open: '<longcat_tool_call>',
  close: '</longcat_tool_call>',
  argumentsField: 'arguments',
  body: (call) => `ws ${call} ws "</longcat_tool_call>"`,
}

const llama: CallForm = {
  open: '{"name":',
  isFirst: true,
  isBegun: true,
  argumentsField: 'parameters',
  body: (call) => call,
}

const mistral: CallForm = {
  open: '[TOOL_CALLS]',
  argumentsField: 'arguments',
  body: (call) => `ws "[" ws ${call} ws ( "," ws ${call} ws )* "]"`,
}

/**
 * The form of calls that a template teaches, where a grammar can hold a model to it; `knowsTools` is whether the template
 * speaks of tools at all. The other forms (tags for each argument, calls by special tokens) are read and not enforced.
 */
export function callFormOf(template: string, knowsTools: boolean): CallForm | undefined {
  if (!knowsTools) return hermes
  if (template.includes('<function=') || template.includes('<arg_key>')) return undefined
  if (template.includes('<longcat_tool_call>')) return longcat
  if (template.includes('<tool_call>')) return hermes
  if (template.includes('[TOOL_CALLS]')) return template.includes('[ARGS]') ? undefined : mistral
  return template.includes('"parameters":') && template.includes('<|start_header_id|>') ? llama : undefined
}

/** The grammar, in GBNF, of what follows a call's beginning: a name of `tools`, and arguments of its shape. */
export function callGrammar(form: CallForm, tools: readonly ToolSchema[]): string {
  const shapes = argumentRules(tools)
  const calls = tools.map((tool) => callRule(tool, form, shapes)).join(' | ')
  const begin = form.isBegun ? 'ws' : '"{" ws "\\"name\\"" ws ":" ws'
  return [`root ::= ${form.body('call')}`, `call ::= ${begin} ( ${calls} ) ws "}"`, ...shapes.rules].join('\n')
}

function callRule(tool: ToolSchema, { argumentsField }: CallForm, shapes: ArgumentRules): string {
  const name = literal(JSON.stringify(tool.name))
  return `${name} ws "," ws ${literal(JSON.stringify(argumentsField))} ws ":" ws ${shapes.ruleOf(tool)}`
}

/** Watches an answer for calls, and says when the grammar holds. */
export interface CallWatch {
  add(text: string): void
  /** Counts the calls that have begun; undefined while none is open. */
  readonly openCall: number | undefined
}

/** Longest piece of the answer that is looked at again for a mark that was cut. */
const longestMark = 32

export function createCallWatch(form: CallForm): CallWatch {
  let count = 0
  let isOpen = false
  let isAtStart = true
  let fences = 0
  let tail = ''
  const begin = (text: string): void => {
    const at = text.indexOf(form.open)
    if (at < 0) return keep(text)
    const before = text.slice(0, at)
    // Written about, in a block of code or right behind a backtick, it is no call.
    const isQuoted = (fences + occurrences(before, '```')) % 2 === 1 || before.endsWith('`')
    const isElsewhere = form.isFirst && !(isAtStart && before.trim() === '')
    // The grammar begins right behind the mark: where more than space came with it, it is too late for it.
    const rest = text.slice(at + form.open.length)
    if (isQuoted || isElsewhere || rest.trim() !== '') return keep(text)
    count++
    isOpen = true
    tail = ''
  }
  const keep = (text: string): void => {
    const kept = Math.min(text.length, longestMark)
    fences += occurrences(text, '```') - occurrences(text.slice(text.length - kept), '```')
    if (text.trim() !== '' && !form.open.startsWith(text.trim())) isAtStart = false
    tail = text.slice(text.length - kept)
  }
  return {
    get openCall() {
      return isOpen ? count : undefined
    },
    add: (text) => {
      const seen = tail + text
      if (!isOpen) return begin(seen)
      const at = form.close === undefined ? -1 : seen.indexOf(form.close)
      tail = seen.slice(-longestMark)
      if (at < 0 || form.close === undefined) return
      isOpen = false
      isAtStart = false
      tail = seen.slice(at + form.close.length)
    },
  }
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1
}
