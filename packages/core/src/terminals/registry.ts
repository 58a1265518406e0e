import type { Environment } from '../agent/context.ts'
import type { Terminal } from './terminal.ts'
import { TerminalError } from './terminal-error.ts'

/** What a backend is told when it opens a terminal. */
export interface TerminalOptions {
  /** Where commands start, absolute. */
  readonly cwd: string
  /** The agent's environment; the backend keeps the secrets in it from commands. */
  readonly environment: Environment
  /** Names of variables that commands get although they look like secrets. */
  readonly passthrough: readonly string[]
  /** The `HOME` of commands, where it is another than the person's. */
  readonly homeDir?: string
}

/** A place where commands can run. */
export interface TerminalBackend {
  readonly name: string
  open(options: TerminalOptions): Promise<Terminal>
}

/** Every backend there is; calling an entry imports that file and no other. */
export const terminalBackends: Readonly<Record<string, () => Promise<TerminalBackend>>> = {
  local: async () => (await import('./local.ts')).localBackend,
}

/** Opens a terminal. Throws `TerminalError` with code `not-implemented` for a backend that is not there. */
export async function openTerminal(backend: string, options: TerminalOptions): Promise<Terminal> {
  const load = Object.hasOwn(terminalBackends, backend) ? terminalBackends[backend] : undefined
  if (!load) {
    const known = Object.keys(terminalBackends).join(', ')
    throw new TerminalError(
      'not-implemented',
      `terminal.backend is ${backend}, which is not implemented in this version; available: ${known}`,
    )
  }
  return (await load()).open(options)
}
