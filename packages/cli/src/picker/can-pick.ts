import type { Cli } from '../command.ts'

/** Whether a person can pick here. */
export function canPick({ stdin, stdout, environment }: Cli): boolean {
  return Boolean(stdin.isTTY && stdout.isTTY) && environment['TERM'] !== 'dumb'
}
