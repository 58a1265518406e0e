import type { AgentContext } from '@hermes/core/agent/context.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import type { GatewayService } from '@hermes/gateway/life/service.ts'
import type { Command } from '../../command.ts'
import { CommandError } from '../../command.ts'

export const run: Command = {
  name: 'run',
  summary: 'Run the gateway here, until it is stopped',
  async run(_input, cli) {
    const { createContext } = await import('@hermes/core/agent/create-context.ts')
    const { runGateway } = await import('@hermes/gateway/life/run-gateway.ts')
    const tell = (line: string) => void cli.stderr.write(`${line}\n`)
    try {
      await using agent = await createContext({ environment: cli.environment, cwd: cli.cwd })
      const refusal = await runGateway({ agent, tell, services: await servicesOf(agent) }, cli.signal)
      if (!refusal) return 0
      throw new CommandError(
        refusal.type === 'running'
          ? `The gateway of this profile runs already (pid ${refusal.pid}). Stop it with "hermes gateway stop".`
          : 'No chat platform is set up, no API server, and no scheduled job. docs/gateway.md says how; for Telegram: put TELEGRAM_BOT_TOKEN into .env; for the API server (docs/api-server.md): API_SERVER_KEY.',
      )
    } catch (error) {
      if (error instanceof ConfigError || isApiServerError(error))
        throw new CommandError(error.message, 1, { cause: error })
      throw error
    }
  },
}

/** What runs beside the platforms. */
async function servicesOf(agent: AgentContext): Promise<readonly GatewayService[]> {
  const { cronService } = await import('@hermes/gateway/cron/cron-service.ts')
  return [...(await apiServerOf(agent)), await cronService(agent)]
}

async function apiServerOf({ config, environment, home }: AgentContext): Promise<readonly GatewayService[]> {
  // Nothing of the server is read where no setting names it.
  const isNamed =
    config.platforms['api_server'] !== undefined ||
    Object.keys(config.api_server).length > 0 ||
    Object.entries(environment).some(([name, value]) => value && name.startsWith('API_SERVER_'))
  if (!isNamed) return []
  const { readApiServerSettings } = await import('@hermes/server/openai/settings.ts')
  const settings = readApiServerSettings({ config, environment, home })
  if (!settings) return []
  const start: GatewayService['start'] = async (agent) => {
    const { startApiServer } = await import('@hermes/server/openai/start-api-server.ts')
    return startApiServer({ agent, settings })
  }
  return [{ name: 'api_server', label: 'the API server', start }]
}

/** By its name: importing the class would load the server. */
function isApiServerError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'ApiServerError'
}
