import { unknown } from './fields.ts'
import type { Invocation } from './invocation.ts'
import { hasLiveSubscript } from './variable-effects.ts'

/** Builtins that take names of variables, or arithmetic, in their arguments. */
const builtins: ReadonlySet<string> = new Set([
  'test',
  '[',
  'read',
  'declare',
  'typeset',
  'local',
  'export',
  'readonly',
  'let',
  'unset',
  'getopts',
  'wait',
  'mapfile',
  'readarray',
  'set',
])

/** Variables that a builtin gives a value without a plain assignment. */
export function declared({ name, args }: Invocation): (readonly [string, string])[] {
  if (name === 'printf' && args[0]?.text === '-v') return [[args[1]?.text ?? '', unknown]]
  if (name === 'read') return args.map(({ text }) => [text, unknown] as const)
  if (!/^(?:declare|typeset|local|export|readonly)$/.test(name)) return []
  return args.flatMap(({ text }) => {
    const border = text.indexOf('=')
    return border < 1 || text.startsWith('-') ? [] : [[text.slice(0, border), text.slice(border + 1)] as const]
  })
}

/** Texts of a call that a shell takes as the name of a variable or as arithmetic, and which would run something. */
export function substitutedAsArithmetic(call: Invocation, isFunction: boolean): string[] {
  const { name, args, input } = call
  const isNamed = builtins.has(name) || isFunction || (name === 'printf' && args[0]?.text.startsWith('-v') === true)
  if (!isNamed) return []
  const read = /^(?:read|mapfile|readarray)$/.test(name) && input.text !== undefined ? [input.text] : []
  return [...args.map(({ text }) => text), ...read].filter(hasLiveSubscript)
}
