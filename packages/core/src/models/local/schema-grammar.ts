import type { ToolSchema } from '../model.ts'
import { fields, list, objects } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'

// A tool's arguments as a grammar in GBNF. What a schema says beyond shape and choice (patterns, lengths) is left to the
// tool's own check. See https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md

/** Schemas nested deeper than this are any JSON. */
const deepest = 6

/** Rules that every grammar of JSON has. Space is bounded, or a small model fills its answer with it. */
const jsonRules = [
  'ws ::= [ \\n\\t]{0,12}',
  'string ::= "\\"" ( [^"\\\\\\x00-\\x1f\\x7f] | "\\\\" ( ["\\\\/bfnrt] | "u" [0-9a-fA-F]{4} ) )* "\\""',
  'integer ::= "-"? ( "0" | [1-9] [0-9]{0,17} )',
  'number ::= integer ( "." [0-9]{1,17} )? ( [eE] [-+]? [0-9]{1,3} )?',
  'boolean ::= "true" | "false"',
  'null ::= "null"',
  'value ::= object | array | string | number | boolean | null',
  'array ::= "[" ws ( value ws ( "," ws value ws )* )? "]"',
  'object ::= "{" ws ( string ws ":" ws value ws ( "," ws string ws ":" ws value ws )* )? "}"',
]

/** Rules for the arguments of tools, and the name of each tool's rule. */
export interface ArgumentRules {
  readonly rules: readonly string[]
  ruleOf(tool: ToolSchema): string
}

export function argumentRules(tools: readonly ToolSchema[]): ArgumentRules {
  const rules = [...jsonRules]
  const names = new Map<string, string>()
  const add = (body: string): string => {
    const name = `r${rules.length}`
    rules.push(`${name} ::= ${body}`)
    return name
  }
  for (const { name, parameters } of tools) names.set(name, ruleFor(parameters, add, 0))
  return { rules, ruleOf: ({ name }) => names.get(name) ?? 'object' }
}

/** A text as it must stand in the answer. */
export function literal(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`
}

type Add = (body: string) => string

function ruleFor(schema: unknown, add: Add, depth: number): string {
  const given = fields(schema)
  if (!given || depth > deepest) return 'value'
  if ('const' in given) return add(literal(JSON.stringify(given['const'])))
  const choices = list(given['enum'])
  if (choices.length > 0) return add(choices.map((choice) => literal(JSON.stringify(choice))).join(' | '))
  const either = [...objects(given['anyOf']), ...objects(given['oneOf'])]
  if (either.length > 0) return add(either.map((each) => ruleFor(each, add, depth + 1)).join(' | '))
  const { type } = given
  if (Array.isArray(type)) {
    return add(type.map((each) => ruleFor({ ...given, type: each }, add, depth + 1)).join(' | '))
  }
  if (type === 'object') return objectRule(given, add, depth)
  if (type === 'array') {
    const item = ruleFor(given['items'], add, depth + 1)
    return add(`"[" ws ( ${item} ws ( "," ws ${item} ws )* )? "]"`)
  }
  return typeof type === 'string' && plainTypes.has(type) ? type : 'value'
}

const plainTypes: ReadonlySet<string> = new Set(['string', 'integer', 'number', 'boolean', 'null'])

/** What is required comes first; the rest may follow, each at most once, in the schema's order. */
function objectRule(schema: Fields, add: Add, depth: number): string {
  const properties = Object.entries(fields(schema['properties']) ?? {})
  if (properties.length === 0) return schema['additionalProperties'] === false ? add('"{" ws "}"') : 'object'
  const required = new Set(list(schema['required']))
  const pair = ([name, value]: [string, unknown]): string =>
    `${literal(JSON.stringify(name))} ws ":" ws ${ruleFor(value, add, depth + 1)} ws`
  const first = properties.filter(([name]) => required.has(name)).map(pair)
  const rest = properties.filter(([name]) => !required.has(name)).map((each) => add(pair(each)))
  const follow = (from: number): string =>
    rest
      .slice(from)
      .map((rule) => `( "," ws ${rule} )?`)
      .join(' ')
  if (first.length > 0) return add(`"{" ws ${first.join(' "," ws ')} ${follow(0)} "}"`)
  const begins = rest.map((rule, at) => `${rule} ${follow(at + 1)}`)
  return add(`"{" ws ( ${begins.join(' | ')} )? "}"`)
}
