import type { Field } from './fields.ts'
import type { RedirectOperator } from './syntax.ts'

/** One program call with everything that is known of it. */
export interface Invocation {
  /** The program's name without its folder, in lower case. */
  readonly name: string
  /** The program as it was called. */
  readonly program: string
  readonly args: readonly Field[]
  readonly redirects: readonly InvocationRedirect[]
  readonly input: Input
  readonly background: boolean
  /** The folders that it may run in. */
  readonly directories: readonly string[]
}

export interface InvocationRedirect {
  readonly operator: RedirectOperator
  readonly target: Field
}

/** What a program reads from its standard input. */
export interface Input {
  /** `none`: what Hermes gives a command, which is nothing. `agent`: what the agent writes to it while it runs. */
  readonly from: 'none' | 'agent' | 'text' | 'pipe' | 'file'
  /** The text, where it is known. */
  readonly text?: string
  /** The programs before it in its pipeline, nearest last. */
  readonly pipe: readonly Invocation[]
}

/** Options and operands of a call, as getopt would tell them. */
export interface Options {
  /** Letters and long names given, the latter as written. */
  readonly flags: ReadonlySet<string>
  /** Values of options that take one. */
  readonly values: ReadonlyMap<string, Field>
  readonly operands: readonly Field[]
  /** Whether some argument may turn out to be an option. */
  readonly isOpen: boolean
}

/** `valued`: the options that take a value, letters and long names. */
export function readOptions(args: readonly Field[], valued: readonly string[] = []): Options {
  const flags = new Set<string>()
  const values = new Map<string, Field>()
  const operands: Field[] = []
  let isOpen = false
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]
    if (!arg) break
    const { text } = arg
    if (text === '--') {
      operands.push(...args.slice(index + 1))
      break
    }
    if (arg.isOpen && !/^[^-\ue000]/.test(text)) isOpen = true
    if (!/^-./.test(text)) {
      operands.push(arg)
      continue
    }
    const read = text.startsWith('--') ? readLong(arg, valued) : readShort(arg, valued)
    for (const flag of read.flags) flags.add(flag)
    const next = args[index + 1]
    const value = read.value ?? (read.wants !== undefined ? next : undefined)
    if (read.wants !== undefined && value) values.set(read.wants, value)
    if (read.wants !== undefined && !read.value) index++
  }
  return { flags, values, operands, isOpen }
}

interface ReadOption {
  readonly flags: readonly string[]
  /** The option that takes a value. */
  readonly wants?: string
  /** That value, where it is part of the same argument. */
  readonly value?: Field
}

function readLong(arg: Field, valued: readonly string[]): ReadOption {
  const [name = '', ...rest] = arg.text.slice(2).split('=')
  if (rest.length > 0) return { flags: [name], wants: name, value: { ...arg, text: rest.join('=') } }
  return valued.includes(name) ? { flags: [name], wants: name } : { flags: [name] }
}

function readShort(arg: Field, valued: readonly string[]): ReadOption {
  const flags: string[] = []
  const letters = Array.from(arg.text.slice(1))
  // Some programs take words after a single dash, e.g. `-delete`.
  if (valued.includes(arg.text.slice(1))) return { flags: [arg.text.slice(1)], wants: arg.text.slice(1) }
  for (const [index, letter] of letters.entries()) {
    flags.push(letter)
    if (!valued.includes(letter)) continue
    const rest = letters.slice(index + 1).join('')
    return rest === '' ? { flags, wants: letter } : { flags, wants: letter, value: { ...arg, text: rest } }
  }
  return { flags }
}

/** Whether one of the options was given; a long one may be shortened, as GNU programs allow. */
export function hasOption({ flags }: Options, ...names: readonly string[]): boolean {
  for (const flag of flags) {
    for (const name of names) {
      if (flag === name || (name.length > 1 && flag.length > 2 && name.startsWith(flag))) return true
    }
  }
  return false
}

/** The texts of fields, for rules that look at words alone. */
export function texts(fields: readonly Field[]): string[] {
  return fields.map(({ text }) => text)
}
