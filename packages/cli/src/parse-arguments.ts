import { parseArgs } from 'node:util'
import type { Command, CommandInput, OptionSpec } from './command.ts'
import { UsageError } from './command.ts'
import { nearest } from '@hermes/core/text/nearest.ts'

/** What a command line asks for. */
export interface ParsedCommand {
  readonly command: Command
  /** Names from the program down, e.g. `['hermes', 'sessions', 'list']`. */
  readonly path: readonly string[]
  readonly input: CommandInput
  /** `--help` was given, or the command only has subcommands and none was named. */
  readonly help: boolean
}

/** Finds the subcommand that `argv` names and parses its options. Throws `UsageError` saying what was meant, if that is clear. */
export function parseCommand(root: Command, argv: readonly string[], path: readonly string[]): ParsedCommand {
  let command = root
  let rest = argv
  const names = [...path]
  while (command.subcommands) {
    const [word] = rest
    const sub = word === undefined ? undefined : subcommandNamed(command, word)
    if (sub) {
      command = sub
      names.push(sub.name)
      rest = rest.slice(1)
    } else if (word !== undefined && !word.startsWith('-') && !command.run) throw unknownWord(word, command, names)
    else break
  }
  const { values, positionals } = parse(command, rest, names)
  const { help, ...options } = values
  return { command, path: names, input: { options, positionals }, help: help === true || !command.run }
}

/** The command that `argv` names, as far as it is one: `['hermes', 'sessions', 'list']`. */
export function commandNames(root: Command, argv: readonly string[], path: readonly string[]): readonly string[] {
  const [word, ...rest] = argv
  const sub = word === undefined ? undefined : subcommandNamed(root, word)
  return sub ? commandNames(sub, rest, [...path, sub.name]) : path
}

/** The subcommand that answers to a name. */
export function subcommandNamed(command: Command, name: string): Command | undefined {
  return command.subcommands?.find((one) => one.name === name || one.aliases?.includes(name))
}

function unknownWord(word: string, command: Command, path: readonly string[]): UsageError {
  return new UsageError(`${path.join(' ')}: ${noCommand(word, command)}`)
}

function noCommand(word: string, command: Command): string {
  const known = (command.subcommands ?? []).map((one) => one.name)
  const meant = nearest(word, known)
  return `unknown command "${word}". ${meant ? `Did you mean "${meant}"?` : `It has: ${known.join(', ')}.`}`
}

function parse(command: Command, argv: readonly string[], path: readonly string[]) {
  const options: Record<string, OptionSpec> = {
    ...command.options,
    help: { type: 'boolean', short: 'h', description: 'Show this help' },
  }
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
    for (const [name, value] of Object.entries(values)) checkChoice(name, value, options[name])
    const extra = positionals[mostPositionals(command.positionals)]
    if (extra !== undefined) {
      const isCommand = command.subcommands !== undefined && command.positionals === undefined
      throw new UsageError(isCommand ? noCommand(extra, command) : `unexpected argument "${extra}"`)
    }
    return { values, positionals }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new UsageError(`${path.join(' ')}: ${explain(error, options)}`)
  }
}

/** How many arguments a command takes that says so by `<name>` and `[name]`; with `...` any number. */
function mostPositionals(named = ''): number {
  return named.includes('...') ? Infinity : (named.match(/<[^>]*>|\[[^\]]*\]/g)?.length ?? 0)
}

function checkChoice(name: string, value: unknown, spec: OptionSpec | undefined): void {
  if (!spec?.choices || value === undefined) return
  for (const one of Array.isArray(value) ? value : [value]) {
    if (!spec.choices.includes(String(one))) {
      throw new UsageError(`--${name} takes one of ${spec.choices.join(', ')}; got "${one}"`)
    }
  }
}

/** parseArgs's messages, in one line, with what was meant or is missing. */
function explain(error: Error, options: Readonly<Record<string, OptionSpec>>): string {
  if (error instanceof UsageError) return error.message
  const valueless = error.message.match(
    /^Option '(?:-(\w)|(?:-\w, )?--([\w-]+)(?: <value>)?)' argument (?:missing|is ambig)/,
  )
  if (valueless) {
    const [, short, long] = valueless
    const name = long ?? Object.keys(options).find((key) => options[key]?.short === short) ?? ''
    return `--${name} needs a value: --${name} ${options[name]?.value ?? 'VALUE'} (--${name}=-x where it begins with a dash)`
  }
  const unknown = error.message.match(/^Unknown option '(-{1,2}[^']*)'/)?.[1]
  if (unknown === undefined) return error.message.split('. ')[0] ?? error.message
  const meant = nearest(unknown.replace(/^-+/, ''), Object.keys(options))
  return `unknown option ${unknown}${meant ? `. Did you mean --${meant}?` : ''}`
}
