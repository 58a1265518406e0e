import type { Supervisor } from '@hermes/gateway/life/supervisor.ts'
import type { Cli } from '../../command.ts'

/** What a gateway that was started in the background says to its starter. */
export const runningMessage = 'running'

/** Tells whoever started this process in the background that the gateway runs; nothing where nobody did. */
export function tellStarter(): void {
  process.send?.(runningMessage, undefined, undefined, () => {
    if (process.connected) process.disconnect()
  })
}

/**
 * Starts this process anew. Under a supervisor it ends with the code that asks for that, which this resolves to; else it
 * becomes the same program from the beginning, with its id, output and terminal.
 */
export async function restartHere(supervisor: Supervisor | undefined, cli: Cli): Promise<number> {
  const { restartExitCode } = await import('@hermes/gateway/life/exit-codes.ts')
  if (supervisor) return restartExitCode
  if (!process.execve) {
    cli.stderr.write('This system cannot start it anew; do that with "hermes gateway start".\n')
    return restartExitCode
  }
  cli.stderr.write('Starting anew …\n')
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const environment = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return process.execve(process.execPath, command, Object.fromEntries(environment) as Record<string, string>)
}

/** How this program is started: Node with what it needs to find modules, and the script. */
export function ownProgram(): readonly string[] {
  const conditions = process.execArgv.filter((argument) => argument.startsWith('--conditions='))
  return [process.execPath, ...conditions, process.argv[1] ?? '']
}
