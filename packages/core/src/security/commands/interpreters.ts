import type { Field } from './fields.ts'
import type { Invocation } from './invocation.ts'

interface Interpreter {
  /** Options whose value is code: letters, of clusters too, and long names. */
  readonly code: { readonly letters: string; readonly long?: readonly string[]; readonly subcommand?: string }
  /** Letters of options that take a value. */
  readonly valued?: string
  /** Letters after which no script file is expected. */
  readonly module?: string
  /** Whether it reads a script from its input when none is named. */
  readonly readsInput: boolean
}

const python: Interpreter = { code: { letters: 'c' }, valued: 'WX', module: 'm', readsInput: true }
const javascript: Interpreter = {
  code: { letters: 'ep', long: ['eval', 'print'] },
  valued: 'rC',
  readsInput: true,
}

const interpreters: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(?:python|pypy|micropython)[\d.]*w?$/, python],
  [/^ipython[\d.]*$/, { code: { letters: 'c' }, readsInput: false }],
  [/^perl[\d.]*$/, { code: { letters: 'eE' }, valued: 'IMm', readsInput: true }],
  [/^j?ruby[\d.]*$/, { code: { letters: 'e' }, valued: 'IrC', readsInput: true }],
  [/^node(?:js)?\d*$/, javascript],
  [/^bun$/, { code: { letters: 'ep', long: ['eval', 'print'] }, readsInput: false }],
  [/^deno$/, { code: { letters: '', subcommand: 'eval' }, readsInput: false }],
  [/^(?:tsx|ts-node)$/, { code: { letters: 'ep', long: ['eval', 'print'] }, readsInput: true }],
  [/^php[\d.]*$/, { code: { letters: 'rBRE', long: ['run'] }, valued: 'dc', readsInput: true }],
  [/^lua(?:jit)?[\d.]*$/, { code: { letters: 'e' }, valued: 'l', readsInput: true }],
  [/^rscript$/, { code: { letters: 'e' }, readsInput: false }],
  [/^r$/, { code: { letters: 'e' }, readsInput: true }],
  [/^julia$/, { code: { letters: 'eE', long: ['eval', 'print'] }, readsInput: true }],
  [/^(?:elixir|groovy|scala|kotlin|ghc|crystal)$/, { code: { letters: 'e', long: ['eval'] }, readsInput: false }],
  [/^osascript$/, { code: { letters: 'e' }, readsInput: true }],
  [/^(?:tclsh|wish|expect)[\d.]*$/, { code: { letters: 'c' }, readsInput: true }],
  [/^(?:pwsh|powershell)$/, { code: { letters: 'c', long: ['command', 'encodedcommand'] }, readsInput: true }],
]

/** The danger of code in a call's arguments, which only its own language could judge; undefined where there is none. */
export function inlineCode({ name, args }: Invocation): string | undefined {
  const interpreter = find(name)
  if (!interpreter) return undefined
  const { code } = interpreter
  if (code.subcommand !== undefined && args[0]?.text === code.subcommand) return key
  for (const [option, value] of options(args, interpreter)) {
    const isCode = option.startsWith('--')
      ? (code.long ?? []).includes(option.slice(2).split('=')[0]?.toLowerCase() ?? '')
      : hasLetter(option, code.letters, interpreter) || (code.long ?? []).includes(option.slice(1).toLowerCase())
    if (isCode && !isPlainSubstitution(option, value)) return key
  }
  return undefined
}

const key = 'script execution via -e/-c flag'

/** Whether a call reads its script from its input. */
export function inputCode({ name, args }: Invocation): boolean {
  const interpreter = find(name)
  if (!interpreter?.readsInput) return false
  let operand: string | undefined
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (/^--?(?:version|help|[vVh])$/.test(text)) return false
    if (!/^-./.test(text)) {
      operand = text
      break
    }
    if (hasLetter(text, interpreter.module ?? '', interpreter)) return false
    if (hasLetter(text, interpreter.code.letters, interpreter)) return false
    if (takesNext(text, interpreter)) index++
  }
  return operand === undefined || /^(?:-|\/dev\/(?:stdin|fd\/0))$/.test(operand)
}

/** Whether a program runs scripts of some language. */
export function isInterpreter(name: string): boolean {
  return find(name) !== undefined
}

function find(name: string): Interpreter | undefined {
  return interpreters.find(([pattern]) => pattern.test(name))?.[1]
}

/** The options before the script, each with the argument after it. */
function* options(args: readonly Field[], interpreter: Interpreter): Generator<readonly [string, string]> {
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text ?? ''
    if (!/^-./.test(text) || text === '--') return
    yield [text, args[index + 1]?.text ?? '']
    if (hasLetter(text, interpreter.module ?? '', interpreter)) return
    if (takesNext(text, interpreter)) index++
  }
}

function hasLetter(option: string, letters: string, { valued = '' }: Interpreter): boolean {
  if (option.startsWith('--')) return false
  for (const letter of option.slice(1)) {
    if (letters.includes(letter)) return true
    // What follows is this option's value.
    if (valued.includes(letter)) return false
  }
  return false
}

function takesNext(option: string, { valued = '' }: Interpreter): boolean {
  return /^-[^-]/.test(option) && valued.includes(option.at(-1) ?? '\0')
}

/** `perl -pe 's/a/b/'`, as one would use sed: nothing of it is run as code. */
function isPlainSubstitution(option: string, code: string): boolean {
  // A pattern can hold code of its own: (?{ … }).
  if (!/[eE]$/.test(option) || /\(\?\??\{/.test(code)) return false
  return code
    .split(';')
    .every((statement) =>
      /^\s*(?:(?:s|y|tr)([/|#,!%@])(?:\\.|(?!\1)[^\\`$@])*\1(?:\\.|(?!\1)[^\\`@]|\$(?:\d|$))*\1[gimsx]*\s*|)$/.test(
        statement,
      ),
    )
}
