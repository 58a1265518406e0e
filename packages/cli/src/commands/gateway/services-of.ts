import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { GatewayService } from '@hermes/gateway/life/service.ts'
import { isApiServerChosen } from './chosen.ts'
import type { Chosen } from './chosen.ts'

/** What runs beside the platforms. */
export async function servicesOf(agent: AgentContext, chosen: Chosen): Promise<readonly GatewayService[]> {
  const { cronService } = await import('@hermes/gateway/cron/cron-service.ts')
  return [...(isApiServerChosen(chosen) ? await apiServerOf(agent) : []), await cronService(agent)]
}

async function apiServerOf({ config, environment, home }: AgentContext): Promise<readonly GatewayService[]> {
  if (!isApiServerNamed({ config, environment })) return []
  const { readApiServerSettings } = await import('@hermes/server/openai/settings.ts')
  const settings = readApiServerSettings({ config, environment, home })
  if (!settings) return []
  const start: GatewayService['start'] = async (agent) => {
    const { startApiServer } = await import('@hermes/server/openai/start-api-server.ts')
    return startApiServer({ agent, settings })
  }
  return [{ name: 'api_server', label: 'the API server', start }]
}

/** Where no setting names it, nothing of the server is read. */
export function isApiServerNamed({ config, environment }: Pick<AgentContext, 'config' | 'environment'>): boolean {
  return (
    config.platforms['api_server'] !== undefined ||
    Object.keys(config.api_server).length > 0 ||
    Object.entries(environment).some(([name, value]) => value && name.startsWith('API_SERVER_'))
  )
}
