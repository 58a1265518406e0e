import type { Client, Transport } from '@modelcontextprotocol/client'
import type { Logger } from '../log/logger.ts'
import type { ActiveCalls } from './active-calls.ts'
import { SamplingLimits } from './requests/sampling-limits.ts'
import type { ServerSettings } from './settings.ts'

export interface ClientOptions {
  readonly server: string
  readonly settings: ServerSettings
  readonly calls: ActiveCalls
  readonly limits: SamplingLimits
  /** Where a server that asks for its roots before any call is told to work. */
  readonly cwd: string
  readonly log: Logger
  /** The server says that it has other tools now. */
  readonly onToolsChanged: () => void
}

/** How servers know us. */
const self = { name: 'hermes-agent', version: '1.0.0' }

/** Opens a transport and agrees with the server on what each can do. Rejects as the library does. */
export async function openClient(transport: Transport, options: ClientOptions, signal: AbortSignal): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client')
  const { server, settings, calls, limits, cwd, log, onToolsChanged } = options
  const samples = settings.sampling.enabled
  const client = new Client(self, {
    capabilities: {
      roots: { listChanged: false },
      elicitation: { form: { applyDefaults: true }, url: {} },
      ...(samples && { sampling: { tools: {} } }),
    },
  })
  // The library has no other way.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  client.onerror = (error) => log.debug({ server, error: error.message }, 'MCP server: odd message')
  client.setRequestHandler('roots/list', async () => {
    const { rootsOf } = await import('./requests/roots.ts')
    return rootsOf(calls.workspace() ?? cwd)
  })
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const { elicit } = await import('./requests/elicitation.ts')
    return elicit(params, { server, calls, signal: mcpReq.signal })
  })
  if (samples) {
    client.setRequestHandler('sampling/createMessage', async ({ params }, { mcpReq }) => {
      const { sample } = await import('./requests/sampling.ts')
      return sample(params, { server, settings: settings.sampling, limits, calls, signal: mcpReq.signal })
    })
  }
  client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged)
  client.setNotificationHandler('notifications/message', ({ params }) => {
    log.debug({ server, level: params.level, logger: params.logger }, 'MCP server: log message')
  })
  await client.connect(transport, { signal, timeout: 2 ** 31 - 1 })
  return client
}
