import type { ChatCommand, CommandOption } from '../../commands/command.ts'
import { findCommand } from '../../commands/registry.ts'

/** Kinds of options: https://discord.com/developers/docs/interactions/application-commands */
const kinds = { text: 3, whole: 4, flag: 5 } as const

/** Most choices of an option, and longest description. */
const maxChoices = 25
const maxDescription = 100

/** An option as the service takes it. */
export interface DiscordOption {
  readonly type: number
  readonly name: string
  readonly description: string
  readonly required: boolean
  readonly choices?: readonly { readonly name: string; readonly value: string }[]
}

/** The options of a command, those that are required first, as the service wants it. */
export function discordOptions(command: Pick<ChatCommand, 'args' | 'options'>): readonly DiscordOption[] {
  const options = optionsOf(command).map(({ name, about, kind = 'text', choices, isRequired = false }) => ({
    type: kinds[kind],
    name,
    description: about.slice(0, maxDescription).toWellFormed(),
    required: isRequired,
    ...(choices && { choices: choices.slice(0, maxChoices).map((value) => ({ name: value, value })) }),
  }))
  return options.toSorted((a, b) => Number(b.required) - Number(a.required))
}

/** What was chosen, by name. */
export type GivenOptions = readonly { readonly name: string; readonly value?: unknown }[]

/** A command as it is written in a chat. Options that it does not have now, as of an app that has older ones, come last. */
export async function commandText(name: string, given: GivenOptions): Promise<string> {
  const command = await findCommand(name)
  const known = command ? optionsOf(command) : []
  const written = known.map((option) => writtenOption(option, given.find((one) => one.name === option.name)?.value))
  const others = given.filter((one) => !known.some((option) => option.name === one.name))
  return [`/${name}`, ...written, ...others.map(({ value }) => plain(value))].filter(Boolean).join(' ')
}

function writtenOption({ kind, word }: CommandOption, value: unknown): string {
  if (kind === 'flag') return value === true ? (word ?? '') : ''
  const text = plain(value)
  return text === '' || word === undefined ? text : `${word} ${text}`
}

function plain(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Those that a command names, or what its arguments tell: choices, one thing by its name, or any text. */
function optionsOf({ args, options }: Pick<ChatCommand, 'args' | 'options'>): readonly CommandOption[] {
  if (options) return options
  if (args === undefined) return []
  const isRequired = args.startsWith('<')
  const inside = /^[<[]([^\s<>[\]]+)[>\]]$/.exec(args)?.[1] ?? ''
  const choices = inside.split('|')
  if (choices.length > 1) return [{ name: 'choice', about: args, choices, isRequired }]
  return [{ name: /^[a-z]{1,32}$/.test(inside) ? inside : 'args', about: args, isRequired }]
}
