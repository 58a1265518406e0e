import type { Command } from '../command.ts'

type Run = NonNullable<Command['run']>

/** A command that changes settings, of which a gateway that runs may have to be told. */
export function changing(run: Run): Run {
  return async (input, cli) => {
    const { tellingOfRestart } = await import('./telling-of-restart.ts')
    return tellingOfRestart(cli, async () => run(input, cli))
  }
}
