import { homedir } from 'node:os'
import type { AuthProvider, Transport } from '@modelcontextprotocol/client'
import type { AgentContext } from '../agent/context.ts'
import { refuseMalware } from './osv-check.ts'
import { serverEnvironment } from './server-environment.ts'
import type { ServerLog } from './server-log.ts'
import type { ServerSettings } from './settings.ts'

export interface TransportOptions {
  readonly server: string
  readonly settings: ServerSettings
  readonly agent: Pick<AgentContext, 'environment' | 'log'>
  readonly cwd: string
  readonly serverLog: ServerLog
  readonly authProvider: AuthProvider | undefined
}

/** The ways to reach a server, in the order in which they are tried; each makes a transport that is not open yet. */
export async function transports(
  { server, settings, agent, cwd, serverLog, authProvider }: TransportOptions,
  signal: AbortSignal,
): Promise<readonly (() => Promise<Transport>)[]> {
  if (settings.url !== '') {
    const { httpKinds, httpTransport } = await import('./transports/http.ts')
    return httpKinds(settings).map((kind) => () => httpTransport(kind, settings, authProvider))
  }
  const { command, args } = settings
  await refuseMalware({ server, command, args, agent }, signal)
  const { StdioTransport } = await import('./transports/stdio.ts')
  const env = serverEnvironment(agent.environment, settings.env)
  const home = agent.environment['HOME'] ?? homedir()
  const folder = settings.cwd === '' ? cwd : settings.cwd.replace(/^~(?=\/|$)/, home)
  return [
    async () =>
      new StdioTransport({
        server,
        command: command.replace(/^~(?=\/)/, home),
        args,
        env,
        cwd: folder,
        log: serverLog,
      }),
  ]
}
