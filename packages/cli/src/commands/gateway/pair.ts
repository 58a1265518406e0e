import type { Command } from '../../command.ts'
import { command as pairing } from '../pairing.ts'

/** `hermes pairing approve` by another name. */
export const pair: Command = {
  name: 'pair',
  summary: 'Let in the person that a code was given to; without a code: the codes that wait',
  positionals: '[platform] [code]',
  run: (input, cli) => named(input.positionals.length < 2 ? 'list' : 'approve').run?.(input, cli) ?? Promise.resolve(2),
}

/** `hermes pairing revoke` by another name. */
export const unpair: Command = {
  name: 'unpair',
  summary: 'Let somebody in no longer',
  positionals: '<platform> <user>',
  run: (input, cli) => named('revoke').run?.(input, cli) ?? Promise.resolve(2),
}

function named(name: string): Command {
  const found = pairing.subcommands?.find((command) => command.name === name)
  if (!found) throw new Error(`hermes pairing has no command ${name}`)
  return found
}
