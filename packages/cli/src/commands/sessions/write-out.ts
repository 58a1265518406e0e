import { once } from 'node:events'
import type { Cli } from '../../command.ts'

/** Writes to stdout and waits while its reader is slower than we are. */
export async function writeOut(cli: Cli, text: string): Promise<void> {
  if (!cli.stdout.write(text)) await once(cli.stdout, 'drain', { signal: cli.signal })
}

/** Prints a value for programs. */
export async function writeJson(cli: Cli, value: unknown): Promise<void> {
  await writeOut(cli, `${JSON.stringify(value, null, 2)}\n`)
}
