import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { childEnvironment } from './child-environment.ts'
import { FifoPool } from './fifo-pool.ts'
import { LocalTerminal } from './local-terminal.ts'
import { readLoginState } from './login-state.ts'
import type { TerminalBackend } from './registry.ts'
import { createShellScripts, findShell } from './shell-script.ts'
import { nearestDirectory } from './working-directory.ts'

/** Commands run on this machine, as the user that Hermes runs as. */
export const localBackend: TerminalBackend = {
  name: 'local',
  async open(options) {
    const environment = childEnvironment(options)
    const shell = findShell(environment['PATH'] ?? '')
    const scripts = createShellScripts(shell)
    const cwd = nearestDirectory(options.cwd)
    const pipes = await FifoPool.open()
    const parts = { shell, scripts, pipes, cwd, variables: environment }
    // Below a shell, which sets SHLVL, Hermes has all that the login files give; started by a service manager it has not.
    if (environment['SHLVL'] !== undefined) return new LocalTerminal(parts)
    const login = await readLoginState(shell, scripts, { cwd, env: { ...environment, PWD: cwd } })
    if (!login) return new LocalTerminal(parts)
    const variables = childEnvironment({ ...options, environment: Object.fromEntries(login.variables) })
    if (login.definitions.trim() === '') return new LocalTerminal({ ...parts, variables })
    const definitionsPath = join(pipes.dir, 'definitions.sh')
    const enableAliases = shell.isBash ? 'shopt -s expand_aliases\n' : ''
    await writeFile(definitionsPath, enableAliases + login.definitions, { mode: 0o600 })
    return new LocalTerminal({ ...parts, variables, definitionsPath })
  },
}
