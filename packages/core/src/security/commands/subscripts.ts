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

/** Texts of a call that a shell takes as the name of a variable or as arithmetic, and which would run something. */
export function substitutedAsArithmetic(call: Invocation, isFunction: boolean): string[] {
  const { name, args, input } = call
  const isNamed = builtins.has(name) || isFunction || (name === 'printf' && args[0]?.text.startsWith('-v') === true)
  if (!isNamed) return []
  const read = /^(?:read|mapfile|readarray)$/.test(name) && input.text !== undefined ? [input.text] : []
  return [...args.map(({ text }) => text), ...read].filter(hasLiveSubscript)
}
